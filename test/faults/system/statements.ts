import type { Violation } from '../history.js';
import type { CallOutcome, LoggedRecord, Verdict } from '../zombies/found-on-log.js';
import type { SessionFold } from '../zombies/session-fold.js';

/** A record of the session topic as another reader gives it, and whether it stands by the product's own verdict. */
export interface JudgedRecord extends LoggedRecord {
  readonly stands: boolean;
}

interface Spend {
  readonly verdict: Verdict;
  readonly claimId: string;
  readonly place: string;
}

const RULE = 'V2';
const placeOf = ({ partition, offset }: { partition: number; offset: number }): string => `${partition}/${offset}`;

/**
 * The statements of V2 about consents and calls, on the records that stand as the product says. They need no fold: each is about a
 * record and those that it names. Takes each partition's records in offset order.
 */
export class Statements {
  readonly #violations: Violation[] = [];
  readonly #minted = new Map<string, { readonly turnId: string; readonly callId: string }>();
  readonly #spends = new Map<string, Spend>();
  /** Keys of closed sessions. */
  readonly #closed = new Set<string>();
  /** By callId: how each attempt ended, so far. */
  readonly #attempts = new Map<string, (CallOutcome | 'open')[]>();
  readonly #dispatches = new Set<string>();

  see(record: JudgedRecord): void {
    const { stands, type, data, key } = record;
    if (!stands) return;
    if (type === 'consent.minted') this.#minted.set(data.requestId, { turnId: data.turnId, callId: data.callId });
    else if (type === 'consent.spent') this.#spent(record);
    else if (type === 'session.closed') this.#closed.add(key);
    else if (type === 'tool-call.dispatched') this.#dispatched(record);
    else if (type === 'tool-call.finished') {
      const attempts = this.#attempts.get(data.callId);
      if (attempts?.[data.attempt - 1] !== undefined) attempts[data.attempt - 1] = data.outcome;
      else this.#broken(`the end at ${placeOf(record)} has no dispatch`);
    }
  }

  /** @param fold what a second fold says of the same records: it has to give the same spends and dispatches */
  judge({ requests, calls }: Pick<SessionFold, 'requests' | 'calls'>): Violation[] {
    const found = [...this.#violations];
    const differ = (what: string) => found.push({ rule: 'L7', what: `${what}, by the ledger or by a second fold only` });
    const spends = new Set([...this.#spends.values()].map(({ place }) => place));
    const secondSpends = [...requests.values()].flatMap(({ partition, spent }) =>
      spent?.claimId === undefined ? [] : [placeOf({ partition, offset: spent.offset })],
    );
    for (const place of onlyInOne(spends, new Set(secondSpends))) differ(`the spend at ${place} stands`);
    const second = new Set([...calls.values()].flat().map(placeOf));
    for (const place of onlyInOne(this.#dispatches, second)) differ(`the dispatch at ${place} stands`);
    return found;
  }

  #spent({ partition, offset, data: { requestId, verdict, claimId } }: JudgedRecord): void {
    const before = this.#spends.get(requestId);
    const place = placeOf({ partition, offset });
    if (before) this.#broken(`the request ${requestId.slice(0, 12)} is spent at ${before.place} and again at ${place}`);
    else this.#spends.set(requestId, { verdict, claimId, place });
  }

  #dispatched(record: JudgedRecord): void {
    const { key, data } = record;
    const place = placeOf(record);
    this.#dispatches.add(place);
    if (this.#closed.has(key)) this.#broken(`the dispatch at ${place} follows the close of its session`);
    if (data.gated || data.requestId !== undefined) this.#gated(record);
    const attempts = this.#attempts.get(data.callId) ?? [];
    const last = attempts.at(-1);
    if (data.attempt !== attempts.length + 1) this.#broken(`the dispatch at ${place} is attempt ${data.attempt} after ${attempts.length}`);
    if (last !== undefined && last !== 'not-sent') this.#broken(`the dispatch at ${place} follows an attempt that is ${last}`);
    this.#attempts.set(data.callId, [...attempts, 'open']);
  }

  #gated(record: JudgedRecord): void {
    const { requestId, callId, turnId, runId, spend } = record.data;
    const [asked, spent] = [this.#minted.get(requestId), this.#spends.get(requestId)];
    const isOfTurn = asked?.turnId === turnId && asked.callId === callId && spent?.claimId === runId;
    const isCited = spend !== undefined && placeOf(spend) === spent?.place;
    if (spent?.verdict !== 'approved' || !isOfTurn || !isCited)
      this.#broken(`the dispatch at ${placeOf(record)} cites no standing approval of its own turn`);
  }

  #broken(what: string): void {
    this.#violations.push({ rule: RULE, what });
  }
}

const onlyInOne = (a: ReadonlySet<string>, b: ReadonlySet<string>): string[] => [
  ...[...a].filter((one) => !b.has(one)),
  ...[...b].filter((one) => !a.has(one)),
];
