import { foldSession } from '../fold.js';
import { emptySession, type SessionState } from '../state.js';
import { recordOf } from './append.js';
import { judgeLanding, judgeSend } from './judge.js';
import { startMemory, type Memory } from './memory.js';
import type { Task } from './world.js';

const run = { runId: 'r1', turnId: 't', hostId: 'h', bootId: 'b', leaseFrom: 0, hasWorked: false, requests: [], calls: [] };
const held: SessionState = { ...emptySession, lastRunId: 'r1', run };
const task: Task = {
  name: 'm0', stage: 'dispatching', turnId: 't', plan: [], isWaiting: false, tries: 1, runId: 'r1', callId: 'c', attempt: 1, isRetried: false, isLate: false,
  hasHungUp: false,
}; // prettier-ignore
const send = (
  memory: Partial<Memory>,
  head = held,
  over: Partial<Task> = {},
  flight: Parameters<typeof judgeSend>[3] = [],
  excuse = false,
) => judgeSend({ ...startMemory, ...memory }, head, { ...task, ...over }, flight, excuse).violation?.split(' ')[0];

describe('the judge of sends', () => {
  it('L2 sees a call that is sent twice, as the same attempt or another', () => {
    expect(send({})).toBeUndefined();
    expect(send({ sent: ['c#1'] })).toBe('SENT-TWICE');
    expect(send({ sent: ['c#1'] }, held, { attempt: 2 })).toBe('SENT-TWICE');
  });

  it('L2 sees a send of what is recorded, or on its way to be recorded, as not sent', () => {
    const finished = { type: 'tool-call.finished', runId: 'r1', callId: 'c', attempt: 1, outcome: 'not-sent' } as const;
    expect(send({ notSent: ['c#1'] })).toBe('SENT');
    expect(send({}, held, {}, [{ host: 0, boot: 0, isCopy: false, records: [recordOf('not-sent c#1', finished)] }])).toBe('SENT');
  });

  it('N22 sees a gated call that goes out without its own approval', () => {
    expect(send({}, held, { gatedBy: 'q1' })).toBe('GATED-SEND');
    expect(send({ settled: { q1: 'approved by r2' } }, held, { gatedBy: 'q1' })).toBe('GATED-SEND');
    expect(send({ settled: { q1: 'approved by r1' } }, held, { gatedBy: 'q1' })).toBeUndefined();
  });

  it('L2 sees a host that sends after its run has ended, unless it could not know', () => {
    const taken = { ...held, run: { ...run, runId: 'r2' } };
    expect(send({}, taken)).toBe('LATE-SEND');
    expect(send({}, taken, {}, [], true)).toBeUndefined();
    expect(send({}, { ...emptySession, isClosed: true })).toBeUndefined();
  });
});

describe('the judge of records', () => {
  const land = (memory: Partial<Memory>, before: SessionState, frozen: Parameters<typeof recordOf>[1], state?: SessionState) => {
    const record = recordOf('e', frozen);
    const folded = foldSession(before, { position: { partition: 0, offset: 0 }, ...record }, { T: 0, timestamp: 0 });
    const entry = { record, isPast: false, folded: { ...folded, state: state ?? folded.state } };
    return judgeLanding({ ...startMemory, ...memory }, before, entry).violation?.split(' ')[0];
  };

  it('L2 sees `not-sent` said of a call that was sent', () => {
    const open: SessionState = { ...held, run: { ...run, calls: [{ callId: 'c', attempt: 1, status: 'open' }] } };
    const finished = { type: 'tool-call.finished', runId: 'r1', callId: 'c', attempt: 1, outcome: 'not-sent' } as const;
    expect(land({}, open, finished)).toBeUndefined();
    expect(land({ sent: ['c#1'] }, open, finished)).toBe('NOT-SENT');
  });

  it('N6 sees a request minted twice', () => {
    const minted = { type: 'consent.minted', runId: 'r1', requestId: 'q1', callId: 'c', grant: 'g' } as const;
    expect(land({}, held, minted)).toBeUndefined();
    expect(land({ minted: ['q1'] }, held, minted)).toBe('MINTED-TWICE');
  });

  it('N31 sees a closed session that still holds something', () => {
    expect(land({}, held, { type: 'session.closed' })).toBeUndefined();
    expect(land({}, held, { type: 'session.closed' }, { ...held, isClosed: true })).toBe('CLOSED');
  });
});
