import type { IngressItem } from '@doorledger/ledger';
import type { CountedReason } from '@doorledger/doors';
import type { DoorCase, ExpectedRow } from './door-case.js';
import type { TestedHost } from './tested-host.js';

const TRIES = 50;

/** What the table has asked so far, place by place: cases run one by one, so the next place is the next case's. */
export class Places {
  readonly #host: TestedHost;
  readonly #counted = new Map<CountedReason, number>();
  #last = 0;

  constructor(host: TestedHost) {
    this.#host = host;
  }

  /** The last place that was given out, and how many requests each count stands for. */
  get told(): { readonly issued: number; readonly counted: Readonly<Record<string, number>> } {
    return { issued: this.#last, counted: Object.fromEntries(this.#counted) };
  }

  count(reason: CountedReason): void {
    this.#last++;
    this.#counted.set(reason, (this.#counted.get(reason) ?? 0) + 1);
  }

  /** Takes a case's place; resolves with the record that lies there, without its place and times. */
  async take({
    row,
    counted,
  }: Pick<DoorCase, 'row' | 'counted'>): Promise<Omit<IngressItem, 'at' | 'durationMs' | 'hostId' | 'bootId' | 'seq'> | undefined> {
    if (counted) this.count(counted);
    if (!row) return undefined;
    this.#last++;
    const { at: _, durationMs: __, hostId: ___, bootId: ____, seq: _____, ...told } = await this.#recordAt(this.#last);
    return told;
  }

  /** The columns that a record is expected to have. */
  expected({ person, session, hasTurn, ...row }: ExpectedRow, turnId: string | undefined): object {
    return {
      ...Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)),
      ...(person && { userRef: this.#host.userRef(person) }),
      ...(session && { sessionRef: session === 'minted' ? expect.stringMatching(/^[0-9a-f]{32}$/) : this.#host.sessionRef(session) }),
      ...(hasTurn && { turnId: turnId ?? expect.any(String) }),
    };
  }

  async #recordAt(seq: number): Promise<IngressItem> {
    for (let tries = 0; ;) {
      const newest = await this.#newest();
      const record = newest.find((item) => item.seq === seq);
      if (record) return record;
      // A later record of another partition may be read first.
      if (newest.some((item) => item.seq! > seq) && ++tries > TRIES) throw new Error(`Place ${seq} is no record.`);
    }
  }

  async #newest(): Promise<IngressItem[]> {
    const { auditor } = this.#host.tokens;
    const headers: Record<string, string> = auditor === undefined ? {} : { authorization: `Bearer ${auditor}` };
    const answer = await fetch(`${this.#host.served.url}/v1/ingress?limit=5`, { headers });
    const { items } = (await answer.json()) as { items: IngressItem[] };
    return items;
  }
}
