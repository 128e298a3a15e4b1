import type { FactData } from '@doorledger/contracts';
import { SampleSession, placeOf } from '../../testing/sample-facts.js';
import { ref, sha, uuid, type SampleLog } from '../../testing/sample-log.js';

/** A session of its own that asks for one call and waits; turn, runs and call are named after the request. */
export class SampleRequest {
  readonly id: string;
  readonly session: SampleSession;
  readonly callId: string;
  readonly turnId: string;

  constructor(
    readonly log: SampleLog,
    readonly name: string,
    terms: Partial<FactData<'consent.minted'>> = {},
    claim: Partial<FactData<'turn.claimed'>> = {},
  ) {
    this.id = sha(name);
    this.callId = uuid(`${name} call`);
    this.turnId = uuid(`${name} turn`);
    this.session = new SampleSession(log, name);
    this.session.claim(`${name} turn`, `${name} run`, claim);
    this.#mint(terms);
  }

  get key(): string {
    return this.session.key;
  }

  vote(by: string, approved = true): void {
    this.log.add(this.key, { type: 'consent.voted', data: { requestId: this.id, by: ref(by), approved } });
  }

  resume(run: string): void {
    this.session.claim(`${this.name} turn`, run, { resumes: this.id });
  }

  spend(run: string, verdict: FactData<'consent.spent'>['verdict'], more: Partial<FactData<'consent.spent'>> = {}): void {
    this.log.add(this.key, { type: 'consent.spent', data: { requestId: this.id, claimId: uuid(run), verdict, ...more } });
  }

  dispatch(run: string): void {
    this.session.dispatch(`${this.name} turn`, run, `${this.name} call`, { gated: true, requestId: this.id });
  }

  finish(run: string, outcome?: FactData<'tool-call.finished'>['outcome']): void {
    this.session.finish(`${this.name} turn`, run, `${this.name} call`, outcome);
  }

  fail(run: string): void {
    this.session.fail(`${this.name} turn`, run);
  }

  /** `[consent.minted, turn.paused]` */
  #mint(terms: Partial<FactData<'consent.minted'>>): void {
    const { id: requestId, turnId, callId, name, session, log } = this;
    const run = { turnId, runId: uuid(`${name} run`) };
    const state = placeOf(session.content(`${name} turn`, `${name} run`, 'state', 'pause.stored'));
    const call = { callId, gate: 'checkIn', server: 'mail', tool: 'send', toolHash: sha('tool') } as const;
    const minted = { ...run, ...call, requestId, ledger: uuid('log'), partyRef: ref('party'), ...terms };
    log.add(session.key, { type: 'consent.minted', data: minted });
    log.add(session.key, { type: 'turn.paused', data: { ...run, requestId, private: state, liveToolSessions: 0 } });
  }
}
