import type { Received } from '../judge-server-process.js';
import { neverReceived } from './call-load.js';
import { figuresOf } from './figures.js';
import { judgeCalls, type CallEvidence } from './judgement.js';
import { WrittenLog } from './written-log.js';

/**
 * One call that was answered, one that host b had on its way when it fell silent, and one that host a, stopped in between, had not
 * sent when it woke and sent by another dispatch.
 */
function evidence(): CallEvidence & { received: Received[]; ledgerCalls: Map<string, string> } {
  const log = new WrittenLog();
  const received: Received[] = [];
  const receive = (id: string, callId: string, offset: number) =>
    received.push({ id, at: log.now + 5, tool: 'note', fence: { callId, partition: 0, offset } });
  log.claim('s1', 'r1', 'a');
  receive('one', 'c1', log.dispatch('s1', 'r1', 'c1'));
  log.finish('s1', 'c1', 'ok');
  log.write('s1', 'turn.completed', { runId: 'r1' });
  log.claim('s2', 'r2', 'b');
  receive('two', 'c2', log.dispatch('s2', 'r2', 'c2'));
  log.claim('s3', 'r3', 'a');
  log.dispatch('s3', 'r3', 'c3');
  const pause = { host: 'a', from: log.now, to: log.now + 15_000 };
  log.write('s3', 'tool-call.finished', { callId: 'c3', attempt: 1, outcome: 'not-sent' }, 15_010);
  receive('three', 'c3', log.dispatch('s3', 'r3', 'c3', 2));
  log.finish('s3', 'c3', 'ok', 2);
  log.write('s3', 'turn.completed', { runId: 'r3' });
  log.write('s2', 'turn.lapsed', { runId: 'r2' }, 40_000);
  const ledgerCalls = new Map([
    ['c1', 'ok'],
    ['c2', 'outcome-unknown'],
    ['c3', 'ok'],
  ]);
  return { fold: log.fold, received, ledgerCalls, pauses: [pause] };
}

it('calls that were sent once, and named unknown where nobody knows, are no fault', () => {
  expect(judgeCalls(evidence())).toEqual([]);
  expect(figuresOf(evidence())).toMatchObject({
    received: 3,
    'calls: ok': 2,
    'calls: outcome-unknown': 1,
    'calls dispatched again': 1,
    'caught between dispatch and send': 1,
    'caught and sent afterwards': 0,
  });
});

type Evidence = ReturnType<typeof evidence>;
it.each<[string, RegExp, (of: Evidence) => unknown]>([
  [
    'a call that was received twice under its id',
    /^L2 two was received 2 times/,
    ({ received }) => received.push({ ...received[1]!, fence: undefined }),
  ],
  [
    'a call that was received by both of its dispatches',
    /^M4 four was received and its attempt ended not-sent/,
    ({ received }) => {
      received.push({ ...received[2]!, id: 'four', fence: { callId: 'c3', partition: 0, offset: 7 } });
    },
  ],
  [
    'a call that was received by no dispatch at all',
    /^L3 five .* no dispatch of it stands/,
    ({ received }) => received.push({ ...received[2]!, id: 'five', fence: { callId: 'c9', partition: 0, offset: 7 } }),
  ],
  [
    'a call that was received by the dispatch of another',
    /^L3 six .* no dispatch of it stands/,
    ({ received }) => received.push({ ...received[2]!, id: 'six', fence: { callId: 'c1', partition: 0, offset: 7 } }),
  ],
  [
    'an unknown that the ledger does not name',
    /^L1 call c2 is outcome-unknown by the log and dispatched/,
    ({ ledgerCalls }) => ledgerCalls.set('c2', 'dispatched'),
  ],
  [
    'a call that the ledger does not have',
    /^L9 call c1 is ok by the log and not in the ledger/,
    ({ ledgerCalls }) => ledgerCalls.delete('c1'),
  ],
  ['a call that only the ledger has', /^L9 call c9 is in the ledger/, ({ ledgerCalls }) => ledgerCalls.set('c9', 'ok')],
  ['a call that ended well and never came', /^L3 call c1 ended ok and was never received/, ({ received }) => received.shift()],
  [
    'a call that nobody ended',
    /^L12 call c2 is still open/,
    ({ fold, ledgerCalls }) => {
      fold.runs.get('r2')!.how = undefined;
      ledgerCalls.set('c2', 'dispatched');
    },
  ],
])('L2, L3 and L1 find %s', (_name, what, spoil) => {
  const given = evidence();
  spoil(given);
  expect(judgeCalls(given).map(({ rule, what: said }) => `${rule} ${said}`)).toContainEqual(expect.stringMatching(what));
});

it('L2 finds calls that a host sent when it woke: all but the one that a pause can freeze on its way to the socket', () => {
  const log = new WrittenLog();
  log.claim('s', 'r', 'a');
  const at = log.now + 20_000;
  const fences = ['x', 'y'].map((callId) => ({ callId, partition: 0, offset: log.dispatch('s', 'r', callId) }));
  const pauses = [{ host: 'a', from: log.now, to: at - 10 }];
  log.write('s', 'turn.lapsed', { runId: 'r' }, 40_000);
  const ledgerCalls = new Map(fences.map(({ callId }) => [callId, 'outcome-unknown']));
  const sent = fences.map((fence, i) => ({ id: `id-${i}`, at, tool: 'note', fence }));
  expect(judgeCalls({ fold: log.fold, received: sent.slice(0, 1), ledgerCalls, pauses })).toEqual([]);
  expect(judgeCalls({ fold: log.fold, received: sent, ledgerCalls, pauses })).toEqual([
    { rule: 'L2', what: expect.stringMatching(/^id-1 was received more than 10 s after/) },
  ]);
  expect(judgeCalls({ fold: log.fold, received: sent, ledgerCalls, pauses: [] })).toHaveLength(2);
});

it('L3 finds an answer to a call that never came', () => {
  expect(neverReceived(new Set(['a', 'b']), [{ id: 'a' }])).toEqual([{ rule: 'L3', what: 'b was answered and never received' }]);
});
