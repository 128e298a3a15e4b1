import type { AnyFactEvent, EventOrigin, Fact, FactData } from '@doorledger/contracts';
import type { DoorledgerConfig } from '@doorledger/config';
import type { EventLog, RecordBatch } from '@doorledger/event-log';
import { ToolServers } from '@doorledger/mcp';
import type { Logger } from '@doorledger/observability';
import type { References } from '@doorledger/privacy';
import { ToolSessionTier } from '@doorledger/tool-sessions';
import { FactLane, givenUpHere } from '@doorledger/turns';
import { toolServerSettings } from './tool-server-settings.js';

export interface HostToolsOptions {
  readonly config: DoorledgerConfig;
  readonly bootId: string;
  readonly version: string;
  readonly log: Pick<EventLog, 'append'>;
  readonly references: References;
  readonly origin: EventOrigin;
  readonly logger: Logger;
}

/** The tool side of a host's life: its tool sessions, its tool servers, and the lane their facts take to the log. */
export class HostTools {
  readonly lane: FactLane;
  readonly sessions: ToolSessionTier;
  readonly servers: ToolServers;
  readonly #config: DoorledgerConfig;
  readonly #logger: Logger;
  /** Turns that wait with tool sessions open here, by what they wait for. */
  readonly #paused = new Map<string, string>();
  readonly #life: { readonly hostId: string; readonly bootId: string };

  /** @throws ConfigError when a credential of a server is not there */
  constructor({ config, bootId, version, log, references, origin, logger }: HostToolsOptions) {
    this.#config = config;
    this.#logger = logger;
    this.#life = { hostId: config.hostId, bootId };
    const onTrouble = (sentence: string, err?: unknown) => logger.warn({ err }, sentence);
    const onFact = (fact: Fact) => this.lane.add(keyOf(fact), fact);
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
    this.servers = new ToolServers({
      servers: toolServerSettings(servers),
      tier: this.sessions,
      onFact,
      onTrouble,
      name: 'doorledger',
      version,
    });
  }

  /** @throws ToolServersRefusedError where two tools have one name (M7) */
  async start(): Promise<void> {
    await this.servers.start();
    const offered = this.servers.tools();
    const servers = new Set(offered.map(({ server }) => server));
    for (const { name, tools = {} } of this.#config.tools.servers)
      for (const tool of Object.keys(tools))
        if (servers.has(name) && !offered.some((one) => one.server === name && one.tool === tool))
          this.#logger.warn(`tools.servers: ${name} offers no tool ${tool}, so what is set for it, a gate above all, holds for nothing.`);
  }

  /** T21, T40: what the log says of this host's tool sessions, as its tail meets it. */
  heard({ records }: RecordBatch): void {
    if (this.sessions.live === 0) return;
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
