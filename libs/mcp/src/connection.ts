import { Client, type PriorDiscovery } from '@modelcontextprotocol/client';
import type { RuntimeConnections } from './agentcore/runtime-connections.js';
import { bounded } from './bounded.js';
import { ToolServerError } from './errors.js';
import { HttpWire } from './http/http-wire.js';
import { watchedFetch } from './http/watched-fetch.js';
import { ConnectionGuard } from './requests/connection-guard.js';
import { isGone, isOldServer, reasonOf, ToolServerUnreachableError } from './reachable.js';
import { RequestLedger } from './requests/request-ledger.js';
import { watch, type Watch } from './requests/watch.js';
import type { ServerSettings } from './settings.js';
import { readToolList, type ListedTool, type ToolPage } from './tools/tool-list.js';
import { transportOf, type SessionTransport } from './transport-of.js';

/** Of any message that answers no call: a page of tools, above all. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** A silent probe on a local pipe is an old server: the rest of the connect bound is for it. */
const PROBE_SHARE = 3;
const NEVER_MS = 2_147_483_647;
const lateClose = () => new Error('The close took too long.');

export interface ConnectionOptions {
  readonly settings: ServerSettings;
  readonly client: { readonly name: string; readonly version: string };
  readonly runtime: RuntimeConnections;
  /** The definitions this connection is opened with (M2). */
  readonly pins: ReadonlyMap<string, ListedTool>;
  /** What an earlier connection learned of the server's protocol: saves the question. */
  readonly prior?: PriorDiscovery;
  readonly onListChanged?: (connection: Connection) => void;
  /** The far side ended or forgot the session: nothing is sent on it again (M4). Told once, and never for a close of ours. */
  readonly onGone?: () => void;
  /** Gives up the opening. */
  readonly signal?: AbortSignal;
  readonly onTrouble: (sentence: string, error?: unknown) => void;
}

/** How a connection ended. `failure`: the server did not take the end of its session. */
export interface Closed {
  readonly failure?: Error;
}

/** One connection to one tool server, for one isolation key (M24): the SDK's client, watched and guarded. */
export class Connection {
  readonly settings: ServerSettings;
  /** The definitions that its calls are judged by: what the server listed on this very connection (M2). */
  pins: ReadonlyMap<string, ListedTool>;
  readonly ledger = new RequestLedger();
  readonly guard = new ConnectionGuard();
  readonly client: Client;
  readonly #options: ConnectionOptions;
  readonly #wire = new HttpWire();
  readonly #transport: SessionTransport;
  readonly #watch: Watch | undefined;
  #isOpen = false;
  #heardEarly = false;
  #isGone = false;
  #isClosing = false;
  #closing: Promise<Closed> | undefined;

  private constructor(options: ConnectionOptions) {
    const { settings, pins } = options;
    this.#options = options;
    this.settings = settings;
    this.pins = pins;
    const maxMessageBytes = Math.max(settings.maxResultBytes, MAX_MESSAGE_BYTES);
    const fetch = watchedFetch({
      wire: this.#wire,
      ledger: this.ledger,
      guard: this.guard,
      strict: settings.strict,
      maxResultBytes: settings.maxResultBytes,
      maxMessageBytes,
      onSessionGone: () => this.#gone(),
    });
    this.#transport = transportOf(settings, {
      fetch,
      maxMessageBytes,
      runtime: options.runtime,
      onTooLarge: (id) => this.ledger.lost(id, 'too-large'),
    });
    this.#watch = watch(this.#transport, {
      ledger: this.ledger,
      guard: this.guard,
      strict: settings.strict,
      onUnmatched: () => options.onTrouble(`A tool call that was not issued here was sent to the tool server "${settings.name}".`),
    });
    this.client = new Client(options.client, {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.ceil(settings.connectMs / PROBE_SHARE) } },
      // A server that asks back would have its call sent again by the client.
      inputRequired: { autoFulfill: false },
    });
    this.client.onclose = () => this.#ended();
    this.client.setNotificationHandler('notifications/tools/list_changed', () => this.#heardOfChange());
  }

  /** @throws ToolServerError ERR_TOOL_SERVER_UNREACHABLE, within connectMs (M5) */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(options);
    const { settings, signal } = options;
    const stop = () => void connection.close('drop');
    signal?.addEventListener('abort', stop, { once: true });
    try {
      await bounded(connection.#connect(), settings.connectMs, () => new Error('It did not answer in time.'));
      connection.#isOpen = true;
      if (connection.#heardEarly) connection.#heardOfChange();
      return connection;
    } catch (error) {
      await connection.close('drop');
      if (error instanceof ToolServerError) throw error;
      const say = `The tool server "${settings.name}" could not be reached (${reasonOf(error)}). Check that it runs and that its settings are right.`;
      throw new ToolServerUnreachableError(say, isOldServer(error));
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** The next connection to this server need not ask for its protocol. */
  get prior(): PriorDiscovery {
    const discover = this.client.getDiscoverResult();
    return discover ? { kind: 'modern', discover } : { kind: 'legacy' };
  }

  /** Something was, or is being, closed: nothing is sent any more. */
  get isOver(): boolean {
    return this.#isGone || this.#isClosing;
  }

  /** @throws ToolServerError within listMs (M5, M7) */
  async list(): Promise<ListedTool[]> {
    const { name, listMs } = this.settings;
    if (!this.client.getServerCapabilities()?.tools) return [];
    const stop = new AbortController();
    const fetchPage = async (cursor: string | undefined): Promise<ToolPage> =>
      this.client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        { signal: stop.signal, timeout: NEVER_MS },
      );
    const late = () =>
      new ToolServerError('ERR_TOOL_LIST_TIMEOUT', `The tool server "${name}" did not list its tools within ${listMs} ms.`);
    try {
      return await bounded(
        this.guard.during('list', () => readToolList(name, fetchPage)),
        listMs,
        late,
      );
    } catch (error) {
      if (error instanceof ToolServerError) throw error;
      throw new ToolServerError('ERR_TOOL_LIST_FAILED', `The tool server "${name}" could not list its tools (${reasonOf(error)}).`);
    } finally {
      stop.abort();
    }
  }

  /**
   * `terminate` ends the server's session by name before the connection goes; `drop` does not (M22). Within closeMs; what is
   * in flight ends with it, and a session that is gone already is closed (M5). Never rejects.
   */
  close(how: 'terminate' | 'drop'): Promise<Closed> {
    return (this.#closing ??= this.#close(how));
  }

  async #close(how: 'terminate' | 'drop'): Promise<Closed> {
    this.#isClosing = true;
    let failure: Error | undefined;
    this.guard.shut();
    const { closeMs } = this.settings;
    const release = this.guard.hold('close');
    try {
      // What the server still answers to calls on a session it forgot tells them that they did not run.
      if (this.#isGone) await bounded(this.ledger.whenEmpty(), Math.ceil(closeMs / 2), lateClose).catch(() => {});
      if (how === 'terminate' && !this.#isGone && this.#transport.sessionId !== undefined) {
        await bounded(this.#transport.terminateSession?.() ?? Promise.resolve(), Math.ceil(closeMs / 2), lateClose).catch(
          (error: unknown) => (failure = isGone(error) ? undefined : (error as Error)),
        );
      }
      await bounded(this.#transport.close(), closeMs, lateClose).catch(() => {});
    } finally {
      release();
      this.ledger.close();
      this.#wire.close();
    }
    return failure === undefined ? {} : { failure };
  }

  async #connect(): Promise<void> {
    const { settings, prior, onListChanged } = this.#options;
    await this.guard.during('open', async () => {
      await this.client.connect(this.#transport, { timeout: settings.connectMs, ...(prior && { prior }) });
      const isModern = this.client.getProtocolEra() === 'modern';
      if (isModern && settings.strict && !this.#watch?.isObserving) await this.client.discover({ timeout: settings.connectMs });
      if (isModern && onListChanged && this.client.getServerCapabilities()?.tools?.listChanged) {
        await this.client.listen({ toolsListChanged: true }, { timeout: settings.connectMs });
      }
    });
  }

  #heardOfChange(): void {
    if (this.#isOpen) this.#options.onListChanged?.(this);
    else this.#heardEarly = true;
  }

  #ended(): void {
    this.ledger.close();
    this.#gone();
  }

  #gone(): void {
    if (this.#isGone || this.#isClosing) return;
    this.#isGone = true;
    // Of an opening that fails its opener hears by itself.
    if (this.#isOpen) this.#options.onGone?.();
  }
}
