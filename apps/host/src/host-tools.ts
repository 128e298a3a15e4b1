import { DoorledgerError, outOfTrace, type AnyFactEvent, type EventOrigin, type Fact, type FactData } from '@doorledger/contracts';
import type { DoorledgerConfig } from '@doorledger/config';
import type { EventLog, RecordBatch } from '@doorledger/event-log';
import type { ToolServers } from '@doorledger/mcp';
import type { Logger } from '@doorledger/observability';
import type { References } from '@doorledger/privacy';
import { ToolSessionTier } from '@doorledger/tool-sessions';
import { FactLane, givenUpHere } from '@doorledger/turns';
import { joinedServers, type Servers } from './module-tools/joined-servers.js';
import { ModuleServers } from './module-tools/module-servers.js';
import { moduleServers, toolServerSettings } from './tool-server-settings.js';

export interface HostToolsOptions {
  readonly config: DoorledgerConfig;
  readonly bootId: string;
  readonly version: string;
  readonly log: Pick<EventLog, 'append'>;
  readonly references: References;
  readonly origin: EventOrigin;
  readonly logger: Logger;
}

/** A gate stands before a tool that its server does not offer. */
class ToolGateError extends DoorledgerError {}

/** The tool side of a host's life: its tool sessions, its tool servers, and the lane their facts take to the log. */
export class HostTools {
  readonly lane: FactLane;
  readonly sessions: ToolSessionTier;
  readonly servers: Servers;
  readonly #config: DoorledgerConfig;
  readonly #logger: Logger;
  /** Turns that wait with tool sessions open here, by what they wait for. */
  readonly #paused = new Map<string, string>();
  readonly #life: { readonly hostId: string; readonly bootId: string };

  /**
   * @param Mcp the servers' class, loaded only where there are any: it costs a third of a host's start
   * @throws ConfigError when a credential of a server is not there
   */
  constructor({ config, bootId, version, log, references, origin, logger }: HostToolsOptions, Mcp: typeof ToolServers | undefined) {
    this.#config = config;
    this.#logger = logger;
    this.#life = { hostId: config.hostId, bootId };
    const onTrouble = (sentence: string, err?: unknown) => logger.warn({ err }, sentence);
    const add = (fact: Fact) => this.lane.add(keyOf(fact), fact);
    // A server changes for everybody, whichever request had it listed.
    const onFact = (fact: Fact) => (fact.type === 'tool.changed' ? outOfTrace(() => add(fact)) : add(fact));
    const { maxLive, maxLivePerPerson, idleMs, maxAgeMs, servers } = config.tools;
    this.lane = new FactLane({ log, origin, onLost: (err) => logger.error({ err }, 'The log refused facts of tool sessions for good.') });
    this.sessions = new ToolSessionTier({
      hostId: config.hostId,
      bootId,
      keyHash: (key) => references.isolationKeyHash(key),
      onFact,
      onTrouble,
      limits: { live: maxLive, perPerson: maxLivePerPerson, idleMs, maxAgeMs },
    });
    const described = { servers: toolServerSettings(servers), tier: this.sessions, onFact, onTrouble, name: 'doorledger', version };
    const inHost = moduleServers(servers);
    this.servers = joinedServers([
      ...(Mcp && described.servers.length > 0 ? [new Mcp(described)] : []),
      ...(inHost.length > 0 ? [new ModuleServers(inHost, this.sessions, onTrouble)] : []),
    ]);
  }

  /**
   * @throws ToolServersRefusedError where two tools have one name (M7); ToolGateError for a gate before a tool that is not there: a
   * misspelt name would leave the tool that was meant without one
   */
  async start(): Promise<void> {
    await this.servers.start();
    const offered = this.servers.tools();
    const servers = new Set(offered.map(({ server }) => server));
    for (const { name, tools = {} } of this.#config.tools.servers)
      for (const [tool, settings] of Object.entries(tools))
        if (servers.has(name) && !offered.some((one) => one.server === name && one.tool === tool)) this.#missing(name, tool, settings);
  }

  #missing(server: string, tool: string, { gate }: { readonly gate?: unknown }): void {
    const sentence = `tools.servers: ${server} offers no tool ${tool}. Correct the name, or take out what is set for it.`;
    if (gate !== undefined) throw new ToolGateError('ERR_GATE_WITHOUT_TOOL', sentence);
    this.#logger.warn(sentence);
  }

  /** T21, T40: what the log says of this host's tool sessions, as its tail meets it. */
  heard({ records }: RecordBatch): void {
    if (this.sessions.live === 0) return this.#paused.clear();
    for (const { decoded, key } of records) {
      // What cannot be read blocks the session for every host (L8) and closes nothing here.
      const event = decoded.body as AnyFactEvent | undefined;
      switch (event?.type) {
        case 'session.closed':
          this.sessions.fire({ kind: 'session-end', sessionRef: key, reason: event.data.reason === 'revoked' ? 'revoked' : 'session-end' });
          break;
        case 'consent.minted':
          if (this.sessions.liveOf(event.data.turnId) > 0) this.#paused.set(event.data.requestId, event.data.turnId);
          break;
        case 'consent.spent':
          this.#settled(event.data);
          break;
        case 'identity.revoked':
          this.sessions.fire({ kind: 'user-revoked', userRef: event.data.userRef });
          break;
        case 'tool-session.closed': {
          const given = givenUpHere(event, this.#life);
          if (given !== undefined) this.sessions.drop(given, 'host-lost');
          break;
        }
        default:
      }
    }
  }

  /** A pause that ends without a resume ends what its turn had open (spec 3). */
  #settled({ requestId, verdict }: FactData<'consent.spent'>): void {
    const turnId = this.#paused.get(requestId);
    if (turnId === undefined) return;
    this.#paused.delete(requestId);
    if (verdict === 'closed' || verdict === 'expired') this.sessions.fire({ kind: 'pause-ended', turnId });
  }

  /** Ends every tool session, then writes what there is to say of it (R2). */
  async close(): Promise<void> {
    await this.servers.close();
    await this.sessions.close();
    await this.lane.durable();
  }
}

/** The key of a fact that no session orders: what belongs together lies in one partition. */
function keyOf(fact: Fact): string {
  if (fact.type === 'tool.changed') return `tool/${fact.data.server}`;
  return (fact.data as { readonly keyHash: string }).keyHash;
}
