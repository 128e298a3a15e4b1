import { topics, whyInvalid } from '@doorledger/contracts';
import { foldLog } from '../testing/fold-log.js';
import { SampleSession } from '../testing/sample-facts.js';
import { SampleLog, ref, sha, uuid } from '../testing/sample-log.js';

let log: SampleLog;
let session: SampleSession;
beforeEach(() => {
  log = new SampleLog();
  session = new SampleSession(log, 'a');
  session.claim('turn', 'run');
});
const news = async () => (await foldLog(log)).changes.news;
const pause = () => session.pause('turn', 'run', 'request', session.content('turn', 'run', 'state', 'pause.stored'));
const placeOf = ({ partition, offset }: { partition: number; offset: number }) => ({ partition, offset });

it('V5 tells of a request and of its settling, each under the id of the record it is made of', async () => {
  const paused = pause();
  session.claim('turn', 'run 2', { resumes: sha('request') });
  const spent = session.spend('run 2', 'request', 'approved');
  session.spend('run 2', 'request', 'closed');
  const told = await news();
  const minted = { partition: paused.partition, offset: paused.offset - 1 };
  expect(told).toMatchObject([
    { type: 'consent.requested', subject: sha('request'), data: { turnId: uuid('turn'), server: 'mail', tool: 'send', of: minted } },
    {
      type: 'consent.settled',
      id: spent.decoded.id,
      data: { requestId: sha('request'), verdict: 'approved', by: ref('party'), of: placeOf(spent) },
    },
  ]);
  expect(told.map((event) => whyInvalid(event))).toEqual([undefined, undefined]);
  expect(JSON.stringify(told)).not.toMatch(/runId|ledger"/);
});

it('V5 tells that a request was closed with its session, void without its pause, and spent by what nobody can read', async () => {
  pause();
  const closed = session.close();
  const other = new SampleSession(log, 'b');
  other.claim('turn b', 'run b');
  other.pause('turn b', 'run b', 'request b', other.content('turn b', 'run b', 'state', 'pause.stored'));
  const poison = log.addRaw(topics.session.name, other.key, Buffer.from('{'), {
    ...closed.headers,
    ce_type: 'consent.spent',
    ce_subject: sha('request b'),
  });
  const settled = (await news()).filter(({ type }) => type === 'consent.settled');
  expect(settled).toMatchObject([
    { id: closed.decoded.id, data: { requestId: sha('request'), verdict: 'closed', reason: 'owner' } },
    { data: { requestId: sha('request b'), verdict: 'unknown', of: placeOf(poison) } },
  ]);
  expect(settled.map((event) => whyInvalid(event))).toEqual([undefined, undefined]);
});
