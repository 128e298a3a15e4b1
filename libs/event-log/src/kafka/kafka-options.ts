import type { ConnectionOptions } from 'node:tls';
import { type KafkaConfig, logLevel, type SASLOptions } from 'kafkajs';

/** How to reach a cluster. */
export interface KafkaConnectionOptions {
  /** `host:port` of some brokers; asked in a random order, for a hung first one would hang every new client. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** TLS with the system's authorities, or with what is given. */
  readonly ssl?: boolean | ConnectionOptions;
  readonly sasl?: SASLOptions;
  readonly timeouts?: Partial<KafkaTimeouts>;
}

/** All in ms. */
export interface KafkaTimeouts {
  /** To connect to one broker. */
  readonly connect: number;
  /** For one request of reading, beyond the time a fetch waits at the broker. */
  readonly request: number;
  /** For one produce request; the broker itself gives up on its replicas after two thirds of it. */
  readonly produce: number;
  /** A fetch waits so long for the first byte. Idle topics do not delay busy ones, so a long wait costs no latency. */
  readonly fetchWait: number;
  /** The metadata is asked for this often, whatever the fetches say. */
  readonly metadata: number;
  /** An append is given up by then: indefinite, or refused where it was never sent (K4). */
  readonly append: number;
  /** `read`, `recordAt` and `ends` go on trying so long while leaders move. */
  readonly read: number;
  /**
   * A member of a group that was not heard of for so long is no member any more, and a rebalance waits so long for one that does
   * not join. One number for both: a member that counts from its last confirmed heartbeat then never thinks longer than the broker
   * does that it holds its partitions. Brokers allow no less than 6000 (`group.min.session.timeout.ms`).
   */
  readonly session: number;
  /** Between two heartbeats of a group's member: how soon it hears of a rebalance. */
  readonly heartbeat: number;
  /** A position beyond a partition's end is lost history only after so long: a broker that woke from a stop still thinks it leads. */
  readonly beyondEnd: number;
}

const defaultTimeouts: KafkaTimeouts = {
  connect: 1000,
  request: 1500,
  produce: 3000,
  fetchWait: 500,
  metadata: 500,
  append: 10_000,
  read: 15_000,
  session: 6000,
  heartbeat: 500,
  beyondEnd: 10_000,
};

export const timeoutsOf = ({ timeouts }: KafkaConnectionOptions): KafkaTimeouts => ({ ...defaultTimeouts, ...timeouts });

export function shuffled<T>(items: Iterable<T>): T[] {
  const all = [...items];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all;
}

/** kafkajs writes into the login it is given: a copy keeps the caller's as it is. */
export const ownLogin = ({ sasl }: KafkaConnectionOptions): SASLOptions | undefined => sasl && { ...sasl };

/** What the public client of kafkajs is given, for producers and the admin. */
export function clientConfig(options: KafkaConnectionOptions): KafkaConfig {
  const { connect, produce } = timeoutsOf(options);
  return {
    clientId: options.clientId,
    brokers: async () => shuffled(options.brokers),
    ssl: options.ssl,
    sasl: ownLogin(options),
    connectionTimeout: connect,
    authenticationTimeout: produce,
    requestTimeout: produce,
    enforceRequestTimeout: true,
    logLevel: logLevel.NOTHING,
  };
}
