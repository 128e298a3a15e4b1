import { topics } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import { startsOf, tailQuery } from './tail-options.js';

const names = (options: object) => tailQuery({ ...options }).topics.map((topic) => topic.name);

it('reads all public truth unless topics are named, by long or short name', () => {
  expect(names({})).toEqual(['session', 'tool-session', 'ingress', 'spend', 'system'].map((name) => `doorledger.${name}.v1`));
  expect(names({ topic: ['session', 'doorledger.private.v1'] })).toEqual([topics.session.name, topics.private.name]);
  expect(names({ from: 'tool-session:0:1' })).toEqual([topics.toolSession.name]);
});

it('starts at the end when it follows and at the start when it does not', () => {
  expect(tailQuery({ follow: true }).from).toEqual({ at: 'end' });
  expect(tailQuery({ follow: false }).from).toEqual({ at: 'start' });
});

it('wants a type, or a family', () => {
  const { wants } = tailQuery({ type: ['turn.*', 'consent.spent'] });
  expect(['turn.claimed', 'consent.spent', 'consent.minted', undefined].map(wants)).toEqual([true, true, false, false]);
  expect(tailQuery({}).wants(undefined)).toBe(true);
});

it.each([
  [{ topic: ['sesion'] }, 'ERR_NO_SUCH_TOPIC', 'did you mean session?'],
  [{ topic: ['zzzzzz'] }, 'ERR_NO_SUCH_TOPIC', 'doorledger topics lists them'],
  [{ type: ['turn.claim'] }, 'ERR_NO_SUCH_TYPE', 'did you mean turn.claimed?'],
  [{ type: ['tern.*'] }, 'ERR_NO_SUCH_TYPE', 'docs/contracts'],
  [{ from: 'yesterday' }, 'ERR_NO_SUCH_PLACE', 'session:3:120'],
  [{ from: 'session:1:-1' }, 'ERR_NO_SUCH_PLACE', 'session:3:120'],
])('refuses %j by name and says what to do', (options, code, hint) => {
  expect(() => tailQuery({ ...options })).toThrow(expect.objectContaining({ code, message: expect.stringContaining(hint) as string }));
});

it('starts a named partition at its offset within what is kept, and the others at their ends', async () => {
  const log = {
    topics: new Map([[topics.session.name, 2]]),
    ends: () =>
      Promise.resolve([
        { start: 5, end: 10 },
        { start: 0, end: 20 },
      ]),
  } as unknown as EventLog;
  const starts = async (from: string) => (await startsOf(log, tailQuery({ topic: ['session'], from })))[topics.session.name];
  expect(await starts('session:0:7')).toEqual([7, 20]);
  expect(await starts('session:0:1')).toEqual([5, 20]);
  expect(await starts('session:1:99')).toEqual([10, 20]);
  expect(await starts('start')).toEqual([5, 0]);
  expect(await starts('end')).toEqual([10, 20]);
  await expect(starts('session:2:0')).rejects.toMatchObject({
    code: 'ERR_NO_SUCH_PLACE',
    message: expect.stringContaining('0 to 1') as string,
  });
});
