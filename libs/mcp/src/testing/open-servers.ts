import { createHash, randomUUID } from 'node:crypto';
import type { Fact } from '@doorledger/contracts';
import { ToolSessionTier, type CallContext, type TierLimits } from '@doorledger/tool-sessions';
import type { ServerSettings, TransportSettings } from '../settings.js';
import { ToolServers } from '../tool-servers.js';

export type SomeSettings = Partial<ServerSettings> & { readonly transport: TransportSettings };

/** Settings with bounds fit for a test. */
export function settingsOf(some: SomeSettings): ServerSettings {
  return {
    name: 'faults',
    scope: 'session',
    tools: {},
    connectMs: 15_000,
    listMs: 15_000,
    callMs: 20_000,
    idleMs: 20_000,
    closeMs: 3_000,
    maxResultBytes: 64 * 1024,
    strict: false,
    fence: false,
    ...some,
  };
}

export const httpAt = (url: string, headers: Record<string, string> = {}): TransportSettings => ({ kind: 'http', url, headers });

export function contextOf(some: Partial<CallContext> = {}): CallContext {
  return { principal: 'ada', sessionId: 's1', turnId: randomUUID(), runId: randomUUID(), callId: randomUUID(), ...some };
}

/** Tool servers with a real tier, and everything they said. */
export class OpenServers {
  readonly facts: Fact[] = [];
  readonly troubles: string[] = [];
  readonly tier: ToolSessionTier;
  readonly servers: ToolServers;

  constructor(settings: readonly ServerSettings[], limits: Partial<TierLimits> = {}) {
    const onFact = (fact: Fact) => void this.facts.push(fact);
    const onTrouble = (sentence: string) => void this.troubles.push(sentence);
    const keyHash = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 12);
    this.tier = new ToolSessionTier({ hostId: 'host-1', bootId: randomUUID(), keyHash, onFact, onTrouble, limits });
    this.servers = new ToolServers({ servers: settings, tier: this.tier, onFact, onTrouble, name: 'doorledger', version: '0.1.0' });
  }

  types(): string[] {
    return this.facts.map((fact) => fact.type);
  }

  async close(): Promise<void> {
    await this.tier.close();
    await this.servers.close();
  }
}
