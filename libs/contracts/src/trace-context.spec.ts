import { setImmediate as soon } from 'node:timers/promises';
import { currentTraceparent, encode, eventOf, inTrace, outOfTrace } from './index.js';

const traceOf = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
const RUN = '00000000-0000-4000-8000-000000000001';
const fact = { type: 'turn.renewed', data: { turnId: RUN, runId: RUN } } as const;
const origin = { source: '/doorledger/test/h', now: () => 0 };

it('P8 keeps the trace of each request over everything that it awaits, apart from every other', async () => {
  const work = (traceparent: string) =>
    inTrace(traceparent, async () => {
      for (let i = 0; i < 3; i++) await soon();
      return currentTraceparent();
    });
  expect(await Promise.all([work(traceOf('1')), work(traceOf('2')), work('nonsense')])).toEqual([traceOf('1'), traceOf('2'), undefined]);
  expect(currentTraceparent()).toBeUndefined();
  expect(inTrace(traceOf('1'), () => outOfTrace(currentTraceparent))).toBeUndefined();
});

it.each([undefined, ['a', 'b'], '', traceOf('0'), traceOf('g'), `ff${traceOf('1').slice(2)}`, `${traceOf('1')}-x`, traceOf('A')])(
  'P8 takes %j for no trace',
  (header) => expect(inTrace(header, currentTraceparent)).toBeUndefined(),
);

it('P8 puts the trace into facts and their headers where the writer heeds it, and nowhere else', () => {
  const event = inTrace(traceOf('1'), () => eventOf(fact, { ...origin, trace: currentTraceparent }));
  expect(event.traceparent).toBe(traceOf('1'));
  expect(encode(event).headers.ce_traceparent).toBe(traceOf('1'));
  expect(inTrace(traceOf('1'), () => eventOf(fact, origin))).not.toHaveProperty('traceparent');
  expect(eventOf(fact, { ...origin, trace: currentTraceparent })).not.toHaveProperty('traceparent');
});
