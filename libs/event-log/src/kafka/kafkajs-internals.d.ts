/**
 * What is used of kafkajs 2.2.4 beside its public API (it has no `exports` map): a broker's connections and the requests of
 * its protocol. Its consumer is not used (K11). kafkajs is pinned exactly, and the contract suite runs against these.
 */
declare module 'kafkajs/src/network/connectionPool.js' {
  import type { ISocketFactory, SASLOptions } from 'kafkajs';

  export interface ConnectionPoolOptions {
    readonly host: string;
    readonly port: number;
    readonly clientId: string;
    readonly logger: object;
    readonly socketFactory: ISocketFactory;
    readonly ssl?: object;
    readonly sasl?: SASLOptions;
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly enforceRequestTimeout: boolean;
    readonly reauthenticationThreshold: number;
  }

  /** One connection for fetches and one for everything else. */
  export default class ConnectionPool {
    constructor(options: ConnectionPoolOptions);
    send(request: ProtocolRequest): Promise<unknown>;
  }

  export interface ProtocolRequest {
    readonly request: object;
    readonly response: { decode: (payload: Buffer) => Promise<unknown>; parse: (decoded: unknown) => Promise<unknown> };
    /** ms */
    readonly requestTimeout?: number;
  }
}

declare module 'kafkajs/src/broker/index.js' {
  import type ConnectionPool from 'kafkajs/src/network/connectionPool.js';
  import type { RequestDefinition } from 'kafkajs/src/protocol/requests/index.js';
  import type { ProtocolRequest } from 'kafkajs/src/network/connectionPool.js';

  export default class Broker {
    constructor(options: {
      readonly connectionPool: ConnectionPool;
      readonly logger: object;
      readonly authenticationTimeout: number;
      readonly allowAutoTopicCreation: boolean;
    });
    /** Connects, asks for the versions the broker speaks, authenticates. */
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    /** The newest version of a request that both sides know. */
    lookupRequest(apiKey: number, definition: RequestDefinition): (parameters: object) => ProtocolRequest;
  }
}

declare module 'kafkajs/src/protocol/requests/index.js' {
  import type { ProtocolRequest } from 'kafkajs/src/network/connectionPool.js';

  export interface RequestDefinition {
    protocol(options: { readonly version: number }): (parameters: object) => ProtocolRequest;
  }
  export type RequestName = 'Metadata' | 'ListOffsets' | 'GroupCoordinator' | 'JoinGroup' | 'SyncGroup' | 'Heartbeat' | 'LeaveGroup';
  const protocol: { readonly requests: Readonly<Record<RequestName | 'Fetch', RequestDefinition>> };
  export default protocol;
}

declare module 'kafkajs/src/protocol/requests/apiKeys.js' {
  import type { RequestName } from 'kafkajs/src/protocol/requests/index.js';
  const apiKeys: Readonly<Record<RequestName, number>>;
  export default apiKeys;
}

declare module 'kafkajs/src/network/socketFactory.js' {
  import type { ISocketFactory } from 'kafkajs';
  const socketFactory: () => ISocketFactory;
  export default socketFactory;
}

declare module 'kafkajs/src/network/requestQueue/index.js' {
  /** The requests of one connection. */
  export default class RequestQueue {
    constructor(options: { readonly clientId: string; readonly broker: string; readonly logger: object; readonly requestTimeout: number });
    readonly pending: readonly unknown[];
    scheduleCheckPendingRequests: (this: RequestQueue) => void;
    checkPendingRequests(): void;
    destroy(): void;
  }
}
