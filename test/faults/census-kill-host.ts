import { partitionCounts, topics } from '@doorledger/contracts';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';
import { openKafkaLog } from '@doorledger/event-log/kafka';
import { PlacesOnLog, type LifeOnLog } from './places-on-log.js';
import { realCluster } from './real-parts.js';
import { serve, type Served } from './served-process.js';

/** A host that is killed and started again on one log. */
export interface KilledHost {
  /** Resolves with the door's address, once it is ready. */
  start(): Promise<string>;
  kill(): Promise<unknown>;
  /** Where its ledger answers. */
  apiUrl(): string;
  /** What the log says of its lives so far. */
  livesOnLog(): Promise<LifeOnLog[]>;
  close(): Promise<void>;
}

/** Reads on from where it was before. */
class PlacesReader {
  readonly #places = new PlacesOnLog();
  readonly #next: Map<string, number[]>;

  constructor(counts: ReadonlyMap<string, number>) {
    this.#next = new Map([topics.ingress, topics.system].map(({ name }) => [name, Array<number>(counts.get(name)!).fill(0)]));
  }

  async read(log: EventLog): Promise<LifeOnLog[]> {
    for (const [topic, next] of this.#next)
      for await (const { partition, records } of log.read(topic, [...next]))
        for (const record of records) {
          this.#places.see(record);
          next[partition] = record.offset + 1;
        }
    return this.#places.lives();
  }
}

/** The embedded system on `dir`. */
export function embeddedHost(dir: string): KilledHost {
  const counts = partitionCounts('embedded');
  const reader = new PlacesReader(counts);
  let served: Served | undefined;
  return {
    start: async () => (served = await serve(dir)).url,
    kill: () => served!.kill(),
    apiUrl: () => served!.url,
    livesOnLog: async () => {
      const log = await openSqliteLog({ dir, role: 'reader', topics: counts });
      return reader.read(log).finally(() => log.close());
    },
    close: async () => void (await served?.stop()),
  };
}

/** The only host of a cluster of its own. */
export async function hostOnKafka(brokers: number): Promise<KilledHost> {
  const counts = partitionCounts('cluster');
  const reader = new PlacesReader(counts);
  const cluster = await realCluster({ brokers, hosts: 1, projectors: 1 });
  const log = await openKafkaLog({ brokers: cluster.kafka.bootstrap, clientId: 'faults', topics: counts, dev: true });
  const { name, url } = cluster.hosts[0]!;
  let isUp = true;
  return {
    start: async () => {
      if (!isUp) cluster.start(name);
      isUp = true;
      await cluster.ready(name);
      return url;
    },
    kill: async () => {
      isUp = false;
      await cluster.kill(name);
    },
    apiUrl: () => cluster.projectors[0]!.url,
    livesOnLog: () => reader.read(log),
    close: async () => {
      await log.close();
      await cluster.stop();
    },
  };
}
