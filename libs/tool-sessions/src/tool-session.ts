import type { FactData } from '@doorledger/contracts';
import type { CallContext, Scope } from './call-context.js';
import type { Cleanup } from './cleanup.js';

/** What every fact of one tool session says alike. */
export type Opened = FactData<'tool-session.started'>;

/** The calls of one turn and run, as facts name them. */
type Caller = Pick<CallContext, 'turnId' | 'runId' | 'callId'>;

export interface ToolSessionStart {
  /** Kind, scope and name: what is found again among others under one key. */
  readonly kind: string;
  readonly key: string;
  readonly toolSessionId: string;
  readonly keyHash: string;
  readonly server: string;
  readonly tool: string;
  readonly scope: Scope;
  readonly label?: string | undefined;
  readonly host: { readonly hostId: string; readonly bootId: string };
  readonly context: Caller & Pick<CallContext, 'sessionRef'>;
  /** Whose it is, where callers can be told apart. */
  readonly person?: string | undefined;
  /** Reading of the tier's clock, in ms. */
  readonly at: number;
}

/**
 * One registration: a resource at the far side, or a cleanup that a tool in the host asked for. Everything lies in this one
 * object, the links of the lists in `LiveSessions` too: ten thousand of them shall fit into ten megabytes.
 */
export class ToolSession {
  readonly kind: string;
  readonly key: string;
  readonly toolSessionId: string;
  readonly keyHash: string;
  readonly server: string;
  readonly tool: string;
  readonly scope: Scope;
  readonly label: string | undefined;
  readonly host: ToolSessionStart['host'];
  readonly sessionRef: string | undefined;
  readonly turnId: string;
  readonly runId: string;
  readonly callId: string;
  readonly person: string | undefined;
  readonly openedAt: number;
  touchedAt: number;
  /** Calls that were given this tool session. */
  calls = 0;
  inFlight = 0;
  isEnded = false;
  /** There while the start is in flight: everybody who came meanwhile waits for this one (T12). */
  opening: Promise<void> | undefined = undefined;
  /** What is there to be used and stopped; nothing before the start is done. */
  started: { readonly resource?: unknown; readonly stop: Cleanup } | undefined = undefined;

  idleBefore: ToolSession | undefined = undefined;
  idleAfter: ToolSession | undefined = undefined;
  ageBefore: ToolSession | undefined = undefined;
  ageAfter: ToolSession | undefined = undefined;

  constructor(
    /** Order of registration: cleanups start in its reverse (S3). */
    readonly place: number,
    start: ToolSessionStart,
  ) {
    this.kind = start.kind;
    this.key = start.key;
    this.toolSessionId = start.toolSessionId;
    this.keyHash = start.keyHash;
    this.server = start.server;
    this.tool = start.tool;
    this.scope = start.scope;
    this.label = start.label;
    this.host = start.host;
    this.sessionRef = start.context.sessionRef;
    this.turnId = start.context.turnId;
    this.runId = start.context.runId;
    this.callId = start.context.callId;
    this.person = start.person;
    this.openedAt = start.at;
    this.touchedAt = start.at;
  }

  /** What facts say of it: by the call that opened it, or by another one that uses it. */
  opened({ turnId, runId, callId }: Caller = this): Opened {
    const { toolSessionId, server, tool, scope, keyHash, label, sessionRef } = this;
    const { hostId, bootId } = this.host;
    const data: { -readonly [K in keyof Opened]: Opened[K] } = {
      toolSessionId,
      server,
      tool,
      scope,
      keyHash,
      hostId,
      bootId,
      turnId,
      runId,
      callId,
    };
    if (label) data.label = label;
    if (sessionRef) data.sessionRef = sessionRef;
    return data;
  }
}
