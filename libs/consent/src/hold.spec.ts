import fc from 'fast-check';
import { readDecision } from './decision.js';
import { hold, type HoldFacts } from './hold.js';
import { isUnanswerable, type RefusalReason } from './refusal.js';
import { readPausedRequest, type PausedRequest } from './paused-request.js';
import { ask, checkIn, LEDGER, pausedOn } from './testing/sample-call.js';

const NOW = 1_000_000;
const asked = pausedOn(ask);
const id = asked.pending.id;
const facts: HoldFacts = {
  now: NOW,
  by: 'user-1',
  minted: { gate: 'ask', decideBy: NOW, spendBy: NOW },
  ledger: LEDGER,
  toolHash: ask.toolHash,
  chain: ['first', 'large-sums', 'business-hours'],
};
const yes = { requestId: id, approved: true };
const otherArguments = { ...asked, call: { ...asked.call, args: { to: 'c@d.example' } } };

/** One way to break each row of the table, in its order; each leaves the rows before it alone. */
const rows: readonly [RefusalReason, (world: { sent: unknown; paused?: PausedRequest; facts: HoldFacts }) => void][] = [
  ['no-request', (w) => (w.sent = { approved: true })],
  ['request-not-recorded', (w) => (w.paused = undefined)],
  ['other-request', (w) => (w.sent = { ...yes, requestId: 'f'.repeat(64) })],
  ['call-changed', (w) => (w.paused &&= otherArguments)],
  ['tool-changed', (w) => (w.facts = { ...w.facts, toolHash: 'b'.repeat(64) })],
  ['chain-changed', (w) => (w.facts = { ...w.facts, chain: ['first', 'large-sums'] })],
  ['ledger-changed', (w) => (w.facts = { ...w.facts, ledger: 'another' })],
  ['expired', (w) => (w.facts = { ...w.facts, now: NOW + 1 })],
];

describe('hold', () => {
  it('N10 holds a decision on exactly what was asked, approve or decline', () => {
    expect(hold(yes, asked, facts)).toEqual({ outcome: 'held', decision: yes, request: asked });
    const decline = { ...yes, approved: false, note: 'too much', value: { max: 3 } };
    expect(hold(decline, asked, facts)).toMatchObject({ outcome: 'held', decision: decline });
  });

  it('N13 judges the reasons in the order of the table: whatever else is wrong too, the first answers', () => {
    fc.assert(
      fc.property(fc.subarray([...rows.keys()], { minLength: 1 }), (broken) => {
        const world: Parameters<(typeof rows)[0][1]>[0] = { sent: yes, paused: asked, facts };
        // Later ones first, so that a request that is not quoted at all is not quoted after all.
        for (const row of [...broken].reverse()) rows[row]![1](world);
        expect(hold(world.sent, world.paused, world.facts)).toMatchObject({
          outcome: 'refused',
          code: 'ERR_RESUME_REFUSED',
          reason: rows[broken[0]!]![0],
        });
      }),
    );
  });

  it.each([
    null,
    true,
    'yes',
    'approved',
    [],
    {},
    { requestId: id },
    { ...yes, approved: 'true' },
    { ...yes, approved: 1 },
    { ...yes, note: 7 },
  ])('N10 refuses what is no decision at all, and frees nothing: %j', (sent) => {
    const standing = { verdict: 'approved', by: 'user-1' } as const;
    expect(hold(sent, asked, { ...facts, standing })).toEqual({
        outcome: 'refused', code: 'ERR_DECISION_REQUIRED', http: 400, isUnanswerable: false,
      }); // prettier-ignore
  });

  it.each([undefined, '', 7, null])('N10 takes %j for no quoted id', (requestId) => {
    expect(hold({ ...yes, requestId }, asked, facts)).toMatchObject({ reason: 'no-request', http: 400, isUnanswerable: false });
  });

  it('N10 frees the session only where no decision could ever be held', () => {
    const freed = rows.filter(([reason]) => isUnanswerable(reason)).map(([reason]) => reason);
    expect(freed).toEqual(['request-not-recorded', 'call-changed', 'tool-changed', 'chain-changed', 'ledger-changed', 'expired']);
    expect([isUnanswerable('already-answered'), isUnanswerable('closed-by-host')]).toEqual([false, false]);
    for (const [reason, breakIt] of rows) {
      const world: Parameters<typeof breakIt>[0] = { sent: yes, paused: asked, facts };
      breakIt(world);
      expect(hold(world.sent, world.paused, world.facts)).toMatchObject({ reason, isUnanswerable: isUnanswerable(reason) });
    }
  });

  it.each([
    ['tool-changed', { toolHash: undefined }],
    ['chain-changed', { chain: undefined }],
    ['ledger-changed', { ledger: undefined }],
  ] as const)('N10 refuses as %s what is not known yet, and leaves the pause as it was', (reason, unknown) => {
    expect(hold(yes, asked, { ...facts, ...unknown })).toMatchObject({ outcome: 'refused', reason, isUnanswerable: false });
  });

  it('N10 takes a tool that is gone for changed', () => {
    expect(hold(yes, asked, { ...facts, toolHash: null })).toMatchObject({ reason: 'tool-changed', isUnanswerable: true });
  });

  it.each([
    ['removed', ['first', 'business-hours']],
    ['renamed', ['first', 'larger-sums', 'business-hours']],
    ['moved', ['large-sums', 'first', 'business-hours']],
    ['followed by another', ['first', 'large-sums', 'business-hours', 'new']],
    ['followed by fewer', ['first', 'large-sums']],
    ['preceded by another', ['new', 'first', 'large-sums', 'business-hours']],
  ])('N10 sees a chain whose asking rule was %s', (_, chain) => {
    expect(hold(yes, asked, { ...facts, chain })).toMatchObject({ reason: 'chain-changed' });
  });

  it('N10 does not ask for the chain of a check-in, nor for the name of a rule before the asking one', () => {
    const waiting = pausedOn(checkIn);
    const quoted = { requestId: waiting.pending.id, approved: true };
    expect(hold(quoted, waiting, { ...facts, minted: { gate: 'checkIn' }, chain: undefined }).outcome).toBe('held');
    expect(hold(yes, asked, { ...facts, chain: ['renamed', 'large-sums', 'business-hours'] }).outcome).toBe('held');
  });

  it('N14 takes the gate from the minted fact: paused state of another one is another call', () => {
    expect(hold(yes, asked, { ...facts, minted: { gate: 'checkIn' } })).toMatchObject({ reason: 'call-changed' });
    expect(hold(yes, asked, { ...facts, minted: undefined })).toMatchObject({ reason: 'request-not-recorded', isUnanswerable: true });
  });

  it.each([
    [{ decideBy: NOW - 1 }, 'expired'],
    [{ spendBy: NOW - 1 }, 'expired'],
    [{ decideBy: NOW, spendBy: NOW }, undefined],
    [{}, undefined],
  ])('N8 is past a clock only after it: %j', (clocks, reason) => {
    const holding = hold(yes, asked, { ...facts, minted: { gate: 'ask', ...clocks } });
    expect(holding.outcome === 'refused' ? holding.reason : undefined).toBe(reason);
  });

  it('N13 holds a detached copy of the decision', () => {
    const sent = { ...yes, value: { list: [1] } };
    const holding = hold(sent, asked, facts);
    sent.approved = false;
    sent.value.list.push(2);
    expect(holding).toMatchObject({ decision: { approved: true, value: { list: [1] } } });
    if (holding.outcome !== 'held') throw new Error('It is not held.');
    expect([holding.decision, holding.decision.value].every((copy) => Object.isFrozen(copy))).toBe(true);
  });

  it('N13 never throws, whatever is sent and whatever is stored', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (sent, stored) => {
        expect(hold(sent, readPausedRequest(stored), facts).outcome).toBe('refused');
        const fields = typeof sent === 'object' ? sent : { sent };
        expect(() => hold({ ...yes, ...fields }, asked, facts)).not.toThrow();
      }),
    );
  });

  it('N13 reads approval out of nothing that has a field beside it which nobody knows, since another thing may be meant', () => {
    expect(readDecision({ requestId: id, approved: true, changes: {} })?.approved).toBe(true);
    expect(readDecision({ requestId: id, approved: true, chnages: {} })).toBeUndefined();
  });

  it('N13 reads approval out of nothing but `approved: true`', () => {
    fc.assert(
      fc.property(fc.anything(), (any) => {
        const read = readDecision({ requestId: id, approved: any });
        expect(read?.approved).toBe(typeof any === 'boolean' ? any : undefined);
      }),
    );
  });
});

describe('a request with a standing record', () => {
  const worst = { ...facts, now: NOW + 1, ledger: 'another', toolHash: null, minted: undefined };

  it.each([
    ['approved', 'already-answered'],
    ['declined', 'already-answered'],
    ['unknown', 'already-answered'],
    ['closed', 'closed-by-host'],
    ['expired', 'expired'],
  ] as const)('N13 and N32 is judged by it first of all: %s', (verdict, reason) => {
    for (const [paused, known] of [[asked, facts], [undefined, worst]] as const) // prettier-ignore
      expect(hold(yes, paused, { ...known, standing: { verdict, by: 'user-2' } })).toEqual({
        outcome: 'refused', code: 'ERR_RESUME_REFUSED', http: 409, reason, isUnanswerable: false, standing: verdict,
      }); // prettier-ignore
  });

  it('N12 gives the winner’s own retry the winner’s outcome', () => {
    const retry = (approved: boolean, verdict: 'approved' | 'declined' | 'closed', by?: string, standingBy?: string) =>
      hold({ ...yes, approved }, undefined, { ...worst, by, standing: { verdict, by: standingBy } }).outcome;
    expect(retry(true, 'approved', 'u', 'u')).toBe('repeated');
    expect(retry(false, 'declined', 'u', 'u')).toBe('repeated');
    expect(retry(false, 'approved', 'u', 'u')).toBe('refused');
    expect(retry(true, 'approved', 'u', 'v')).toBe('refused');
    expect(retry(true, 'approved')).toBe('refused');
    expect(retry(false, 'closed', 'u', 'u')).toBe('refused');
  });
});
