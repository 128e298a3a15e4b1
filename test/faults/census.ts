import type { StoredRecord } from '@doorledger/event-log';
import type { Violation } from './history.js';

/** One life of a host, as its facts tell it. */
interface Life {
  /** The event that took each place: a copy of it takes no other. */
  readonly places: Map<number, string>;
  /** Every place up to this one is on the log, says the host. */
  durable: number;
}

/** E11: the places of a host's life are unique, and those that it calls durable are on the log, in a record or in a count. */
export class Census {
  readonly #lives = new Map<string, Life>();
  readonly #violations: Violation[] = [];

  see({ decoded: { type, id, body } }: StoredRecord): void {
    if (!body) return;
    if (type === 'ingress.recorded') {
      const { bootId, seq } = body.data as { bootId: string; seq: number };
      this.#take(bootId, seq, id!);
    }
    if (type === 'ingress.counted') {
      const { bootId, seqs } = body.data as { bootId: string; seqs: [distance: number, length: number][] };
      let last = 0;
      for (const [distance, length] of seqs) {
        const first = last + distance;
        last = first + length - 1;
        for (let seq = first; seq <= last; seq++) this.#take(bootId, seq, id!);
      }
    }
    if (type === 'host.alive' || type === 'host.stopped') {
      const { bootId, durableSeq } = body.data as { bootId: string; durableSeq: number };
      const life = this.#lifeOf(bootId);
      life.durable = Math.max(life.durable, durableSeq);
    }
  }

  judge(): Violation[] {
    const found = [...this.#violations];
    for (const [bootId, { places, durable }] of this.#lives) {
      let missing = 0;
      for (let seq = 1; seq <= durable; seq++) if (!places.has(seq)) missing++;
      if (missing > 0)
        found.push({ rule: 'E11', what: `boot ${bootId} called ${durable} places durable, and ${missing} of them are not on the log` });
    }
    return found;
  }

  #take(bootId: string, seq: number, id: string): void {
    const { places } = this.#lifeOf(bootId);
    const taken = places.get(seq);
    if (taken !== undefined && taken !== id) this.#violations.push({ rule: 'E11', what: `place ${seq} of boot ${bootId} was given twice` });
    places.set(seq, id);
  }

  #lifeOf(bootId: string): Life {
    let life = this.#lives.get(bootId);
    if (!life) this.#lives.set(bootId, (life = { places: new Map(), durable: 0 }));
    return life;
  }
}
