import type { AnyFactEvent, EventOrigin, Fact } from '@doorledger/contracts';
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
  readonly #life: { readonly hostId: string; readonly bootId: string };

  /** @throws ConfigError when a credential of a server is not there */
  constructor({ config, bootId, version, log, references, origin, logger }: HostToolsOptions) {
    this.#life = { hostId: config.hostId!, bootId };
    const onTrouble = (sentence: string, err?: unknown) => logger.warn({ err }, sentence);
    const onFact = (fact: Fact) => this.lane.add(keyOf(fact), fact);
    const { maxLive, maxLivePerPerson, idleMs, maxAgeMs, servers } = config.tools;
    this.lane = new FactLane({ log, origin, onLost: (err) => logger.error({ err }, 'The log refused facts of tool sessions for good.') });
    this.sessions = new ToolSessionTier({
      hostId: config.hostId!,
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
