import type { FactData } from '@doorledger/contracts';
import type { StoredRecord } from '@doorledger/event-log';

/** What a log says of the places of one life of a host, told record by record, by nothing but the spec's own words (E11, E12). */
export interface LifeOnLog {
  readonly bootId: string;
  /** The larger of what the host said and the highest place on the log. */
  readonly issued: number;
  /** Records, and requests in counts. */
  readonly recorded: number;
  readonly counted: number;
  /** Places up to `issued` that nothing tells of. */
  readonly missing: readonly number[];
  /** Places of two records. */
  readonly doubled: readonly number[];
  /** Places of a count that a record or another count has, too. */
  readonly overlapping: readonly number[];
  /** Counts whose number is not that of their places. */
  readonly miscounted: number;
}

interface Life {
  /** Who told of each place: the record's event, or `count`. */
  readonly tellers: Map<number, string>;
  readonly doubled: number[];
  readonly overlapping: number[];
  recorded: number;
  counted: number;
  miscounted: number;
  said: number;
}

/** Every place that a count names. */
export function placesOf(seqs: FactData<'ingress.counted'>['seqs']): number[] {
  const places: number[] = [];
  let last = 0;
  for (const [distance = 0, length = 0] of seqs) {
    for (let i = 0; i < length; i++) places.push(last + distance + i);
    last += distance + length - 1;
  }
  return places;
}

/** Reads a log's ingress and system topics, in whatever order, and finds missing, doubled and overlapping places. */
export class PlacesOnLog {
  readonly #lives = new Map<string, Life>();
  readonly #seen = new Set<string>();

  see({ decoded: { id, type, body } }: Pick<StoredRecord, 'decoded'>): void {
    // A copy of a record is the same record (K10).
    if (!body || this.#seen.has(id!)) return;
    this.#seen.add(id!);
    const data: unknown = body.data;
    if (type === 'ingress.recorded') this.#record(data as FactData<'ingress.recorded'>, id!);
    else if (type === 'ingress.counted') this.#count(data as FactData<'ingress.counted'>);
    else if (type?.startsWith('host.')) {
      const { bootId, lastSeq } = data as FactData<'host.alive'>;
      const life = this.#lifeOf(bootId);
      life.said = Math.max(life.said, lastSeq);
    }
  }

  lives(): LifeOnLog[] {
    return [...this.#lives].map(([bootId, { tellers, said, ...life }]) => {
      const issued = [...tellers.keys()].reduce((highest, seq) => Math.max(highest, seq), said);
      const places = Array.from({ length: issued }, (_, i) => i + 1);
      return { bootId, issued, missing: places.filter((seq) => !tellers.has(seq)), ...life };
    });
  }

  #record({ bootId, seq }: FactData<'ingress.recorded'>, id: string): void {
    const life = this.#lifeOf(bootId);
    const teller = life.tellers.get(seq);
    if (teller === 'count') life.overlapping.push(seq);
    else if (teller !== undefined) life.doubled.push(seq);
    life.tellers.set(seq, id);
    life.recorded++;
  }

  #count({ bootId, count, seqs }: FactData<'ingress.counted'>): void {
    const life = this.#lifeOf(bootId);
    const places = placesOf(seqs);
    for (const seq of places) {
      if (life.tellers.has(seq)) life.overlapping.push(seq);
      life.tellers.set(seq, 'count');
    }
    life.counted += count;
    if (places.length !== count) life.miscounted++;
  }

  #lifeOf(bootId: string): Life {
    let life = this.#lives.get(bootId);
    if (!life)
      this.#lives.set(
        bootId,
        (life = { tellers: new Map(), doubled: [], overlapping: [], recorded: 0, counted: 0, miscounted: 0, said: 0 }),
      );
    return life;
  }
}
