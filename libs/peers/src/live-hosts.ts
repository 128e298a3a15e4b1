import { topics, type AnyFactEvent } from '@doorledger/contracts';
import { LEASE_MS, advance, type PartitionTime, type RecordBatch } from '@doorledger/event-log';
import type { HostLife } from './host-life.js';

/** A host as the ledger has heard of it: T of the system partition at its last word. */
export type KnownHost = HostLife & { readonly aliveTime: number };

/** Which hosts are there, by the system partition's own time: silent for more than 30 s of T is gone (L6). No clock of a process has a say. */
export class LiveHosts {
  readonly #lives = new Map<string, { readonly bootId: string; readonly aliveTime: number }>();
  #time: PartitionTime;

  /** `time`: the system partition's place and T from which the tail reads on. */
  constructor(known: readonly KnownHost[], time: PartitionTime) {
    for (const { hostId, bootId, aliveTime } of known) this.#lives.set(hostId, { bootId, aliveTime });
    this.#time = time;
  }

  apply({ topic, records }: RecordBatch): void {
    if (topic !== topics.system.name) return;
    for (const record of records) {
      this.#time = advance(this.#time, record);
      const event = record.decoded.body as AnyFactEvent | undefined;
      if (event?.type === 'host.started' || event?.type === 'host.alive')
        this.#lives.set(event.data.hostId, this.#heard(event.data.bootId));
      else if (event?.type === 'host.stopped' && this.#lives.get(event.data.hostId)?.bootId === event.data.bootId)
        this.#lives.delete(event.data.hostId);
    }
  }

  isAlive({ hostId, bootId }: HostLife): boolean {
    const life = this.#lives.get(hostId);
    return life?.bootId === bootId && this.#time.T - life.aliveTime <= LEASE_MS;
  }

  #heard(bootId: string) {
    return { bootId, aliveTime: this.#time.T };
  }
}
