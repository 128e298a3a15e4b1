import type { Received } from '../judge-server-process.js';
import { judgeCalls } from '../zombies/judgement.js';
import { WrittenLog } from '../zombies/written-log.js';
import type { Heard } from './heard.js';
import { judgeAnswers } from './judge-answers.js';
import { becameOf, judgeConsents, type LedgerConsent } from './judge-consents.js';

const REQUEST = 'q'.repeat(64);

/** A race over one request: what the hosts wrote, what the tool server received, what the ledger says and what people heard. */
class WrittenRace {
  readonly log = new WrittenLog();
  readonly received: Received[] = [];
  readonly heard: Heard[] = [];
  readonly ledgerCalls = new Map<string, string>();
  readonly ledgerConsents = new Map<string, LedgerConsent>();

  /** Host a asks; hosts b and c may be told to go on. */
  constructor() {
    const { log } = this;
    log.claim('s', 'r0', 'a');
    log.write('s', 'consent.minted', { runId: 'r0', requestId: REQUEST, callId: 'call' });
    log.write('s', 'turn.paused', { runId: 'r0', requestId: REQUEST });
  }

  resume = (runId: string, hostId: string, after = 'r0') =>
    this.log.write('s', 'turn.claimed', { turnId: 't-r0', runId, hostId, after, resumes: REQUEST });
  spend = (claimId: string, verdict = 'approved', by = 'ann') =>
    this.log.write('s', 'consent.spent', { requestId: REQUEST, claimId, verdict, by });
  dispatch = (runId: string, attempt = 1) =>
    this.log.write('s', 'tool-call.dispatched', { runId, callId: 'call', attempt, requestId: REQUEST });
  finish = (outcome = 'ok', attempt = 1) => this.log.finish('s', 'call', outcome, attempt);
  complete = (runId: string) => this.log.write('s', 'turn.completed', { runId });

  /** The tool server receives the call, sent by the dispatch at this offset. */
  receive(offset: number, id = 'id'): void {
    this.received.push({ id, at: this.log.now + 1, tool: 'note', fence: { callId: 'call', partition: 0, offset } });
  }

  hears(one: Partial<Heard>): this {
    this.heard.push({ requestId: REQUEST, by: 'ann', way: 'api', approved: true, answer: '200', ...one });
    return this;
  }

  inLedger(consent: string, call?: string, isNotRun = false): this {
    this.ledgerConsents.set(REQUEST, { status: consent, isNotRun });
    if (call !== undefined) this.ledgerCalls.set('call', call);
    return this;
  }

  /** Everything that is wrong with it. */
  judged(): string[] {
    const { fold } = this.log;
    const evidence = { ...this, fold, pauses: [] };
    const found = [...judgeCalls(evidence), ...judgeConsents(evidence), ...judgeAnswers(this.heard, fold)];
    return found.map(({ rule, what }) => `${rule} ${what}`);
  }
}

/** As it should be: b's claim stands, its approval is spent, the call is sent once; c's claim is void. */
function fair(): WrittenRace {
  const race = new WrittenRace();
  race.resume('rb', 'b');
  race.resume('rc', 'c');
  race.spend('rb');
  race.receive(race.dispatch('rb'));
  race.finish();
  race.complete('rb');
  return race.inLedger('approved', 'ok');
}

it('a fair race is no fault: one approval, one call, the winner is told so and everybody else by what they lost', () => {
  const race = fair()
    .hears({})
    .hears({ verdict: 'approved' })
    .hears({ by: 'bob', answer: '409 ERR_RESUME_REFUSED', reason: 'already-answered' })
    .hears({ by: 'bob', answer: '409 ERR_CONCURRENT_RUN' })
    .hears({ way: 'close', approved: undefined, answer: '409 ERR_RESUME_REFUSED', reason: 'already-answered' });
  expect(race.judged()).toEqual([]);
});

describe('hosts with a planted fault are caught', () => {
  it('L3 and L7 catch one that acts on the acknowledgement of its records, not on what stands', () => {
    const race = fair();
    race.spend('rc');
    race.receive(race.dispatch('rc'), 'id');
    const found = race.judged();
    expect(found).toContainEqual(expect.stringMatching(/^L2 id was received 2 times/));
    expect(found).toContainEqual(expect.stringMatching(/^L3 id was received and no dispatch of it stands/));
  });

  it('N20 catches one whose fold takes the last spend instead of the first', () => {
    const race = new WrittenRace();
    race.resume('rb', 'b');
    race.spend('rb', 'declined');
    race.spend('rb', 'approved');
    race.receive(race.dispatch('rb'));
    race.complete('rb');
    expect(race.inLedger('declined').judged()).toContainEqual(expect.stringMatching(/^L3 id was received and no dispatch/));
    const told = race.inLedger('approved').hears({ verdict: 'approved' }).judged();
    expect(told).toContainEqual(expect.stringMatching(/^N12 api: 200 \(approved\), and declined stands/));
    expect(told).toContainEqual(expect.stringMatching(/^N12 request q+ is declined by the log and approved in the ledger/));
  });

  it('L5 catches one that resumes a session without looking who held it last (no `after`)', () => {
    const race = fair();
    race.resume('rd', 'd', 'r0');
    race.receive(race.dispatch('rd', 2), 'again');
    expect(race.judged()).toContainEqual(expect.stringMatching(/^L2 call was received 2 times/));
    expect(race.judged()).toContainEqual(expect.stringMatching(/^L3 again was received and no dispatch of it stands/));
  });

  it('L2 catches one that sends what it dispatched long ago (no send window)', () => {
    const race = new WrittenRace();
    race.resume('rb', 'b');
    race.spend('rb');
    const offset = race.dispatch('rb');
    race.log.now += 35_000;
    race.receive(offset);
    race.log.write('s', 'turn.lapsed', { runId: 'rb' });
    expect(race.inLedger('approved', 'outcome-unknown').judged()).toEqual([
      expect.stringMatching(/^L2 id was received more than 10 s after the last standing record of its run/),
    ]);
  });

  it('N31 catches one that sends a call after a close stands, and one that says closed where the call ran', () => {
    const race = new WrittenRace();
    race.resume('rb', 'b');
    race.spend('other', 'closed');
    race.receive(race.dispatch('rb'));
    race.complete('rb');
    expect(race.inLedger('closed').judged()).toContainEqual(expect.stringMatching(/^L3 id was received/));
    const ran = fair().hears({ way: 'close', approved: undefined, verdict: 'closed' });
    expect(ran.judged()).toEqual([expect.stringMatching(/^N12 close: 200 \(closed\), and approved stands/)]);
  });

  it('N20 catches one that sends a gated call by a dispatch that cites no request', () => {
    const race = new WrittenRace();
    race.resume('rb', 'b');
    race.receive(race.log.dispatch('s', 'rb', 'call'));
    race.finish();
    race.complete('rb');
    expect(race.inLedger('pending', 'ok').judged()).toEqual(['N20 id ran without a request']);
  });
});

it.each<[string, RegExp, Partial<Heard>]>([
  [
    'somebody who did not win and is told that they did',
    /200 \(approved\), and approved stands, not by them/,
    { by: 'bob', verdict: 'approved' },
  ],
  [
    'a winner who is told that somebody else did',
    /the winner was refused \(already-answered\)/,
    { answer: '409 ERR_RESUME_REFUSED', reason: 'already-answered' },
  ],
  [
    'a wrong reason',
    /refused by closed-by-host, and approved stands/,
    { by: 'bob', answer: '409 ERR_RESUME_REFUSED', reason: 'closed-by-host' },
  ],
  [
    'a known request that is called unknown',
    /409 ERR_NO_PENDING_ASK, and approved stands/,
    { by: 'bob', answer: '409 ERR_NO_PENDING_ASK' },
  ],
  ['a decline that is told of where an approval stands', /200 \(declined\), and approved stands/, { approved: false, verdict: 'declined' }],
])('N12 and N13 find %s', (_name, what, one) => {
  expect(fair().hears(one).judged()).toEqual([expect.stringMatching(what)]);
});

it('N13 takes the end of a resumed turn whose request was withdrawn for an answer, and no such answer where nobody resumed it', () => {
  const withdrawn = (isResumed: boolean) => {
    const race = new WrittenRace();
    if (isResumed) race.resume('rb', 'b');
    race.spend('other', 'closed');
    if (isResumed) race.complete('rb');
    return race.inLedger('closed').hears({ way: 'invoke', answer: '200' }).judged();
  };
  expect(withdrawn(true)).toEqual([]);
  expect(withdrawn(false)).toEqual([expect.stringMatching(/^N12 invoke: 200, and closed stands/)]);
});

it('N22 tells what was spent and not run from what nobody knows, and finds a ledger that does not', () => {
  const race = new WrittenRace();
  race.resume('rb', 'b');
  race.spend('rb');
  race.log.write('s', 'turn.lapsed', { runId: 'rb' }, 31_000);
  const { fold } = race.log;
  expect(becameOf(fold.requests.get(REQUEST)!, fold)).toBe('spent-not-run');
  expect(race.inLedger('approved', undefined, true).judged()).toEqual([]);
  expect(race.inLedger('approved', undefined, false).judged()).toEqual([expect.stringMatching(/^N22 .* is spent-not-run by the log/)]);
  const sent = new WrittenRace();
  sent.resume('rb', 'b');
  sent.spend('rb');
  sent.dispatch('rb');
  sent.log.write('s', 'turn.lapsed', { runId: 'rb' }, 31_000);
  expect(sent.inLedger('approved', 'outcome-unknown').judged()).toEqual([]);
  expect(sent.inLedger('approved', 'outcome-unknown', true).judged()).toEqual([
    expect.stringMatching(/^N22 .* is not spent-not-run by the log/),
  ]);
});
