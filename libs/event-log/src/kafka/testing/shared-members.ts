import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { KafkaCluster } from '../../../../../test/kafka/kafka.mjs';
import { openKafkaLog } from '../kafka-log.js';
import type { SharedReadingOptions } from '../shared-reading.js';
import { shared } from './calm-timeouts.js';
import { connectionTo } from './kafka-cluster.js';
import type { StoredPlaces } from './stored-places.js';

export interface Member {
  readonly held: readonly number[];
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

export interface ChildMember {
  readonly held: readonly number[];
  readonly process: ChildProcess;
  kill(): Promise<void>;
}

/** What it holds, or a question with an id: for places, or to store a batch. */
interface FromChild {
  readonly id?: number;
  readonly held?: number[];
  readonly asks?: true;
  readonly partition?: number;
  readonly records?: readonly { readonly offset: number }[];
}

/** The members of one group that read one topic into one place. */
export class SharedMembers {
  readonly #open = new Set<{ end(): Promise<void> }>();

  constructor(
    readonly cluster: KafkaCluster,
    readonly topics: ReadonlyMap<string, number>,
    readonly group: string,
    readonly places: StoredPlaces,
  ) {}

  /** A member in this process. */
  async join(name: string, options: Partial<SharedReadingOptions> = {}): Promise<Member> {
    const [topic] = this.topics.keys();
    const { places } = this;
    const log = await openKafkaLog({ ...connectionTo(this.cluster, shared), topics: this.topics });
    const reading = log.followShared({
      group: this.group,
      topics: [topic!],
      placesOf: places.placesOf,
      deliver: (batch) => places.store(name, batch),
      onHeld: places.look,
      ...options,
    });
    const member = { end: () => log.close() };
    this.#open.add(member);
    return {
      get held() {
        return reading.held[topic!] ?? [];
      },
      failed: reading.failed,
      close: () => {
        this.#open.delete(member);
        return log.close();
      },
    };
  }

  /** A member in a process of its own. */
  start(name: string): ChildMember {
    const [[topic, partitions]] = [...this.topics] as [[string, number]];
    const args = [join(__dirname, 'shared-member.ts'), this.cluster.bootstrap.join(','), topic, String(partitions), this.group];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    let held: readonly number[] = [];
    child.on('message', ({ id, held: holds, asks, partition, records }: FromChild) => {
      if (holds) {
        held = holds;
        this.places.look();
      } else if (asks) child.send({ id, places: this.places.all });
      else {
        this.places.store(name, { partition: partition!, records: records! });
        child.send({ id });
      }
    });
    let isKilled = false;
    const exited = once(child, 'exit').then(() => isKilled || this.places.fail(new Error(`${name} ended by itself`)));
    const member = {
      get held() {
        return held;
      },
      process: child,
      kill: async () => {
        isKilled = true;
        child.kill('SIGKILL');
        await exited;
      },
      end: async () => member.kill(),
    };
    this.#open.add(member);
    return member;
  }

  async end(): Promise<void> {
    await Promise.all([...this.#open].map((member) => member.end()));
  }
}
