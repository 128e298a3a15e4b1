import { randomUUID } from 'node:crypto';
import { encode, eventOf, topics, type EventOrigin } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import type { DueConsent, LedgerReader } from '@doorledger/ledger';

export interface ConsentSweepOptions {
  readonly ledger: Pick<LedgerReader, 'dueConsents'>;
  readonly log: Pick<EventLog, 'append'>;
  readonly origin: EventOrigin;
  /** Takes up a request that its votes have decided: claims its turn and spends it. Settles when that turn is done, or was another's. */
  readonly resume: (requestId: string, approved: boolean) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

const AT_ONCE = 100;
/** Turns that are carried on for others at one time, beside what the doors ask for. */
const RESUMED_AT_ONCE = 16;
/** So long what was done about a request has to show in the ledger, before it is done again. */
const AGAIN_MS = 30_000;

/** L12: settles requests that nobody else would. The fold decides what stands: a void record is harmless, so is a claim that another host won. */
export class ConsentSweep {
  readonly #options: ConsentSweepOptions;
  readonly #resuming = new Set<string>();
  /** When this host did something about a request; what is not due any more is forgotten. */
  #done: ReadonlyMap<string, number> = new Map();

  constructor(options: ConsentSweepOptions) {
    this.#options = options;
  }

  /** Resolves with how many were called expired and how many were taken up, not with their ends. Where nothing is due it is one query. */
  async sweep(): Promise<{ readonly expired: number; readonly resumed: number }> {
    const { ledger, origin } = this.#options;
    const now = origin.now();
    const due = await ledger.dueConsents(now, AT_ONCE);
    const done = new Map<string, number>();
    for (const { requestId } of due) {
      const at = this.#done.get(requestId);
      if (at !== undefined && now - at < AGAIN_MS) done.set(requestId, at);
    }
    const open = due.filter(({ requestId }) => !done.has(requestId));
    const expired = open.filter((request) => request.due === 'expired');
    await this.#expire(expired);
    const resumed = open.filter((request) => request.due !== 'expired' && this.#resume(request));
    for (const { requestId } of [...expired, ...resumed]) done.set(requestId, now);
    this.#done = done;
    return { expired: expired.length, resumed: resumed.length };
  }

  async #expire(requests: readonly DueConsent[]): Promise<void> {
    const { log, origin } = this.#options;
    if (requests.length === 0) return;
    await log.append(
      topics.session.name,
      requests.map(({ requestId, sessionKey }) => ({
        key: sessionKey,
        ...encode(eventOf({ type: 'consent.spent', data: { requestId, claimId: randomUUID(), verdict: 'expired' } }, origin)),
      })),
    );
  }

  #resume({ requestId, due }: DueConsent): boolean {
    const { resume, onError } = this.#options;
    if (this.#resuming.has(requestId) || this.#resuming.size >= RESUMED_AT_ONCE) return false;
    this.#resuming.add(requestId);
    void resume(requestId, due === 'approved')
      .catch(onError)
      .finally(() => this.#resuming.delete(requestId));
    return true;
  }
}
