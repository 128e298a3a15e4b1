import { type Agent } from '@doorledger/agent';
import type { EventOrigin } from '@doorledger/contracts';
import type { DoorledgerConfig } from '@doorledger/config';
import type { ComposerOptions, IngressRecorder } from '@doorledger/doors';
import type { EventLog } from '@doorledger/event-log';
import type { GrantHistory, KnownFreezes, KnownHolders, LedgerReader } from '@doorledger/ledger';
import type { ToolServers } from '@doorledger/mcp';
import type { Logger, Metrics } from '@doorledger/observability';
import type { DeploymentKey, KeyStore } from '@doorledger/privacy';
import { knownGrants } from './host-grants.js';
import { knownHolders } from './host-peers.js';
import { openAgent } from './open-agent.js';

export interface HostParts {
  readonly config: DoorledgerConfig;
  readonly bootId: string;
  readonly version: string;
  readonly log: EventLog;
  readonly ledger: LedgerReader;
  /** The log's identity (K8). */
  readonly logId: string;
  readonly deploymentKey: DeploymentKey;
  readonly keyStore: KeyStore;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly ingress: IngressRecorder;
  readonly origin: EventOrigin;
  readonly identify: ComposerOptions['identify'];
  readonly admission?: ComposerOptions['admission'];
  /** Persons (userRef) whose sign-in was revoked (T21). */
  readonly onRevoked: (userRefs: readonly string[]) => void;
}

/** What a host's life begins with: what only some configurations need, and what the ledger knows of what the tail goes on with. */
export interface Known {
  readonly agent: Agent;
  readonly Mcp: typeof ToolServers | undefined;
  readonly freezes: KnownFreezes;
  readonly grants: readonly GrantHistory[];
  readonly holders: KnownHolders;
}

export async function knownOf({ config, ledger }: Pick<HostParts, 'config' | 'ledger'>): Promise<Known> {
  const needsMcp = config.tools.servers.some(({ module }) => module === undefined);
  return {
    agent: await openAgent(config),
    Mcp: needsMcp ? (await import('@doorledger/mcp')).ToolServers : undefined,
    freezes: await ledger.freezes(),
    grants: await knownGrants(ledger, Date.now()),
    holders: await knownHolders(config, ledger),
  };
}
