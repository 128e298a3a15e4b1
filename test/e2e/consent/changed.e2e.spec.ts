import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCli } from '../../faults/served-process.js';
import { ConsentWorld, call, type Waiting } from './consent-world.js';
import { garble, rewrite } from './stored-pause.js';
import { ToolDesk } from './tool-desk.js';

jest.setTimeout(120_000);
const asks = (server: string) => ({ name: `asks-${server}`, server, action: 'ask' }) as const;
const passes = (name: string, server: string) => ({ name, server, action: 'allow' }) as const;
const chained = ['shorter', 'longer', 'moved', 'gone', 'same'];
/** Each case is a session of its own, asked in before the host was stopped and everything changed. */
const cases = [...chained, 'gate', 'garbled', 'rewritten', 'unheard'];

let world: ConsentWorld;
let changing: ToolDesk;
const waiting = new Map<string, Waiting>();
beforeAll(async () => {
  changing = await ToolDesk.start();
  const gate = { kind: 'checkIn' };
  world = await ConsentWorld.start({
    gates: { gate: {}, garbled: {}, rewritten: {}, ...Object.fromEntries(chained.map((name) => [name, undefined])) },
    servers: [
      { name: 'unheard', url: changing.url, tools: { pay: { gate } } },
      { name: 'heard', url: changing.url, scope: 'session' },
    ],
    rules: [
      ...chained.flatMap((server) => [asks(server), passes(`then-${server}`, server)]),
      { name: 'asked', server: 'heard', action: 'ask', when: { required: ['ask'] } },
    ],
  });
  for (const name of cases) waiting.set(name, await world.paused('ann', name, name, { note: name, to: 'ann' }));
});
afterAll(async () => {
  await world.stop();
  await changing.stop();
});

const restart = async (meanwhile: () => unknown): Promise<void> => {
  await world.served.stop();
  await meanwhile();
  await world.up();
};

/** The reason is told, the request is closed by it, nothing has run, and the session goes on. */
async function closedFor(reason: string, session: string): Promise<void> {
  const { requestId, turnId } = waiting.get(session)!;
  const { status, body } = await world.decide('ann', session, { requestId, approved: true });
  expect([status, body.code, body.reason]).toEqual([409, 'ERR_RESUME_REFUSED', reason]);
  const rows = await world.settled(requestId, 'closed');
  expect(rows).toMatchObject({ consent: { status: 'closed', reason }, call: undefined, attempts: ['spent closed'] });
  expect(await world.get('ann', `/v1/turns/${turnId}`)).toMatchObject({ body: { status: 'closed' } });
  expect(await world.say('ann', session, 'go on')).toMatchObject({ status: 200, body: { output: 'go on' } });
  const late = await world.decide('ann', session, { requestId, approved: true });
  expect([late.status, late.body.reason]).toEqual([409, 'closed-by-host']);
  expect(world.desk.times(session) + changing.times(session)).toBe(0);
}

it('N10 refuses a decision on a tool that its server has changed since; the new one is asked about anew', async () => {
  expect((await world.say('ann', 'open', call('heard', { note: 'open' }))).body).toEqual({ output: 'paid open' });
  waiting.set('heard', await world.paused('ann', 'heard', 'heard', { note: 'heard', ask: true }));
  changing.redefine('Pays twice.');
  const facts = async () => (await runCli(['tail', '--topic', 'system', '--no-follow', '--data', world.data])).stdout;
  while (!(await facts()).includes('"tool.changed"')) await sleep(100);
  await closedFor('tool-changed', 'heard');
  const { requestId } = await world.paused('ann', 'heard', 'heard', { note: 'anew', ask: true });
  expect(await world.decide('ann', 'heard', { requestId, approved: true })).toMatchObject({ status: 200, body: { output: 'paid anew' } });
});

describe('after a restart with other rules, another tool, and stored states that were damaged', () => {
  beforeAll(() =>
    restart(async () => {
      const then = (server: string) => passes(`then-${server}`, server);
      world.rules = [
        asks('shorter'),
        ...[asks('longer'), then('longer'), passes('at-last', 'longer')],
        ...[passes('first', 'moved'), asks('moved'), then('moved')],
        then('gone'),
        ...[passes('other', 'gate'), asks('same'), then('same')],
      ];
      changing.redefine('Pays three times.');
      garble(world.data, waiting.get('garbled')!.turnId);
      await rewrite(world.data, waiting.get('rewritten')!.turnId, '"to":"ann"', '"to":"eve"');
    }),
  );

  it.each([
    ['a rule behind the asking one is gone', 'shorter'],
    ['a rule was added behind it', 'longer'],
    ['it moved', 'moved'],
    ['the asking rule is gone', 'gone'],
  ])('N10 refuses a decision whose chain is another one: %s', (_, session) => closedFor('chain-changed', session));

  it('N10 goes on where only rules of other tools changed', async () => {
    const { requestId } = waiting.get('same')!;
    expect(await world.decide('ann', 'same', { requestId, approved: true })).toMatchObject({ status: 200, body: { output: 'paid same' } });
    expect(world.desk.times('same')).toBe(1);
  });

  it('N10 refuses a decision on a tool that changed while the host was down', () => closedFor('tool-changed', 'unheard'));

  it('N13 closes a request whose stored state cannot be read any more', () => closedFor('request-not-recorded', 'garbled'));

  it('N2 and N5 refuse a call that was changed under its request by somebody who has the keys and writes the ledger', () =>
    closedFor('call-changed', 'rewritten'));
});

it('N7 and N10 refuse a decision on a request of a log that lost records and was adopted as another since', async () => {
  const saved = join(world.dir, 'saved');
  const logFiles = (dir: string) => readdirSync(dir).filter((name) => name.startsWith('log.db'));
  await restart(() => {
    for (const name of logFiles(world.data)) cpSync(join(world.data, name), join(saved, name));
  });
  for (const session of ['a', 'b', 'c', 'd']) await world.say('ann', session, 'lost');
  await restart(async () => {
    for (const name of logFiles(world.data)) rmSync(join(world.data, name));
    for (const name of logFiles(saved)) cpSync(join(saved, name), join(world.data, name));
    const { stdout } = await runCli(['adopt', '--yes-i-know', '--data', world.data]);
    expect(JSON.parse(stdout)).toMatchObject({ isAdopted: true });
    await runCli(['replay', '--switch', '--data', world.data]);
  });
  await closedFor('ledger-changed', 'gate');
});
