import { createHmac } from 'node:crypto';
import type { DeploymentKey } from './deployment-key.js';
import { joinFields } from './fields.js';

export interface Person {
  readonly issuer?: string;
  readonly tenant?: string;
  readonly subject: string;
}

/**
 * Names that public facts may carry: the same thing always has the same one, and nobody without the deployment key can
 * tell or guess what it stands for. Each kind of thing is hashed under its own first field.
 */
export class References {
  constructor(private readonly key: Pick<DeploymentKey, 'reference'>) {}

  /** 32 hex for a session id within its tenant (O8). */
  sessionRef(tenant: string | undefined, sessionId: string): string {
    return this.hex(32, ['session', tenant, sessionId]);
  }

  /** 32 hex for a person (O8). */
  userRef({ issuer, tenant, subject }: Person): string {
    return this.hex(32, ['person', issuer, tenant, subject]);
  }

  /** 32 hex for a tenant. */
  tenantRef(tenant: string): string {
    return this.hex(32, ['tenant', tenant]);
  }

  /** 12 hex for an isolation key of tool sessions (T3). */
  isolationKeyHash(isolationKey: string): string {
    return this.hex(12, ['isolation', isolationKey]);
  }

  /** 64 hex for a caller's idempotency key, apart for each session: two sessions may use the same one. */
  idempotencyKey(sessionKey: string, given: string): string {
    return this.hex(64, ['idempotency', sessionKey, given]);
  }

  /** 16 hex that prove a session id to be one this deployment minted (O1). */
  mintedMac(uuid: string): string {
    return this.hex(16, ['minted', uuid]);
  }

  /** 64 hex of what a request under an idempotency key asked, and of whose it is when no session holds it (D18). */
  idempotencyBody(sessionKey: string, body: string): string {
    return this.hex(64, ['idempotency-body', sessionKey, body]);
  }

  private hex(digits: number, fields: readonly (string | undefined)[]): string {
    return createHmac('sha256', this.key.reference).update(joinFields(fields), 'utf16le').digest('hex').slice(0, digits);
  }
}
