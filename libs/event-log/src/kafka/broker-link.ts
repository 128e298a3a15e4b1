import Broker from 'kafkajs/src/broker/index.js';
import ConnectionPool, { type ProtocolRequest } from 'kafkajs/src/network/connectionPool.js';
import apiKeys from 'kafkajs/src/protocol/requests/apiKeys.js';
import protocol, { type RequestName } from 'kafkajs/src/protocol/requests/index.js';
import { decodeFetchResponse, type FetchedPartition, type FetchResponse } from './fetch-response.js';
import { type KafkaConnectionOptions, ownLogin, timeoutsOf } from './kafka-options.js';
import { Sockets } from './sockets.js';

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

export interface Metadata {
  readonly brokers: readonly (BrokerAddress & { readonly nodeId: number })[];
  readonly clusterId: string;
  readonly topicMetadata: readonly {
    readonly topicErrorCode: number;
    readonly topic: string;
    readonly partitionMetadata: readonly { readonly partitionErrorCode: number; readonly partitionId: number; readonly leader: number }[];
  }[];
}

export interface ListedOffset {
  readonly partition: number;
  readonly errorCode: number;
  readonly offset: number;
}

export interface FetchRequest {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** One whole batch comes even if it is larger. */
  readonly maxBytes: number;
}

const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const READ_COMMITTED = 1;
/** The version whose answers fetch-response.ts reads; brokers know it since 2.3. */
const FETCH_VERSION = 11;

const silent = { namespace: () => silent, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const asItCame = async (answer: unknown): Promise<unknown> => answer;
const unjudged = ({ request, response: { decode } }: ProtocolRequest): ProtocolRequest => ({
  request,
  response: { decode, parse: asItCame },
});

/**
 * The connections of one purpose to one broker. Answers come with the error codes of their partitions: kafkajs's own reading
 * of them rejects a whole answer for one partition's error, or for one unreadable batch, and does not say whose it was.
 */
export class BrokerLink {
  readonly #sockets: Sockets;
  readonly #broker: Broker;
  readonly #pool: ConnectionPool;
  readonly #timeout: number;

  private constructor(sockets: Sockets, pool: ConnectionPool, broker: Broker, timeout: number) {
    this.#sockets = sockets;
    this.#pool = pool;
    this.#broker = broker;
    this.#timeout = timeout;
  }

  static async open({ host, port }: BrokerAddress, options: KafkaConnectionOptions): Promise<BrokerLink> {
    const { connect, request } = timeoutsOf(options);
    const sockets = new Sockets();
    const pool = new ConnectionPool({
      host,
      port,
      clientId: options.clientId,
      logger: silent,
      socketFactory: sockets.factory,
      ...(options.ssl && { ssl: options.ssl === true ? {} : options.ssl }),
      sasl: ownLogin(options),
      connectionTimeout: connect,
      requestTimeout: request,
      enforceRequestTimeout: true,
      reauthenticationThreshold: 10_000,
    });
    const broker = new Broker({ connectionPool: pool, logger: silent, authenticationTimeout: request, allowAutoTopicCreation: false });
    const deadline = setTimeout(() => sockets.destroy(), connect + request);
    try {
      await broker.connect();
    } catch (error) {
      sockets.destroy();
      throw error;
    } finally {
      clearTimeout(deadline);
    }
    return new BrokerLink(sockets, pool, broker, request);
  }

  /** Sends the newest version of a request that both sides know. The broker may take `waitMs` beyond the time of a short request. */
  async ask(name: RequestName, parameters: object, waitMs = 0): Promise<unknown> {
    const request = this.#broker.lookupRequest(apiKeys[name], protocol.requests[name])(parameters);
    return this.#pool.send({ ...unjudged(request), requestTimeout: waitMs + this.#timeout });
  }

  async metadata(topics: readonly string[]): Promise<Metadata> {
    return (await this.ask('Metadata', { topics, allowAutoTopicCreation: false })) as Metadata;
  }

  /** The first kept offset of each partition, or the one after the last that readers may see. */
  async listOffsets(topic: string, partitions: readonly number[], which: 'start' | 'end'): Promise<ListedOffset[]> {
    const timestamp = which === 'start' ? -2 : -1;
    const asked = [{ topic, partitions: partitions.map((partition) => ({ partition, timestamp })) }];
    const { responses } = (await this.ask('ListOffsets', { isolationLevel: READ_COMMITTED, topics: asked })) as {
      responses: { partitions: { partition: number; errorCode: number; offset: string }[] }[];
    };
    return responses
      .flatMap((r) => r.partitions)
      .map(({ partition, errorCode, offset }) => ({ partition, errorCode, offset: Number(offset) }));
  }

  /** Waits at most `waitMs` for the first byte. */
  async fetch(wanted: readonly FetchRequest[], waitMs: number): Promise<FetchedPartition[]> {
    const byTopic = new Map<string, { partition: number; fetchOffset: string; maxBytes: number }[]>();
    for (const { topic, partition, offset, maxBytes } of wanted) {
      let partitions = byTopic.get(topic);
      if (!partitions) byTopic.set(topic, (partitions = []));
      partitions.push({ partition, fetchOffset: String(offset), maxBytes });
    }
    const { request } = protocol.requests.Fetch.protocol({ version: FETCH_VERSION })({
      isolationLevel: READ_COMMITTED,
      maxWaitTime: waitMs,
      minBytes: 1,
      maxBytes: MAX_RESPONSE_BYTES,
      topics: [...byTopic].map(([topic, partitions]) => ({ topic, partitions })),
      rackId: '',
    });
    const response = { decode: async (payload: Buffer) => decodeFetchResponse(payload), parse: asItCame };
    const { partitions } = (await this.#pool.send({ request, response, requestTimeout: waitMs + this.#timeout })) as FetchResponse;
    return partitions;
  }

  /** Requests in flight are rejected. */
  close(): void {
    this.#sockets.destroy();
    this.#broker.disconnect().catch(() => {});
  }
}
