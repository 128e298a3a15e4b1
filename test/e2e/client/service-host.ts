import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyServer } from '../../../libs/access/src/identity/testing/key-server.js';
import { signed, signingKey } from '../../../libs/access/src/identity/testing/signing.js';
import { serve, type Served } from '../../faults/served-process.js';

const ISSUER = 'https://issuer.example';

/** What a token says of its bearer. */
export interface Claims {
  readonly sub?: string;
  readonly roles?: readonly string[];
  readonly ns?: unknown;
  readonly org?: string;
}

/** A host that checks who asks, as a process of its own, with tenants if they are asked for. */
export class ServiceHost {
  readonly dir = mkdtempSync(join(tmpdir(), 'doorledger-service-'));
  served!: Served;

  private constructor(
    readonly tokenOf: (claims: Claims) => Promise<string>,
    private readonly env: Readonly<Record<string, string>>,
    private readonly closeKeys: () => Promise<void>,
  ) {}

  static async start(more: Readonly<Record<string, string>> = {}): Promise<ServiceHost> {
    const [keys, key] = await Promise.all([keyServer(), signingKey('ES256', 'one')]);
    keys.answer = { keys: [key.publicJwk] };
    const tokenOf = (claims: Claims) =>
      signed(key, { iss: ISSUER, aud: 'doors', sub: 'agents', exp: Math.floor(Date.now() / 1000) + 600, ...claims });
    const env = {
      DOORLEDGER_OIDC_ISSUER: ISSUER,
      DOORLEDGER_OIDC_AUDIENCES: 'doors',
      DOORLEDGER_OIDC_JWKS_URI: keys.url,
      DOORLEDGER_OIDC_ROLES_CLAIM: 'roles',
      DOORLEDGER_OIDC_NAMESPACE_CLAIM: 'ns',
      ...more,
    };
    const host = new ServiceHost(tokenOf, env, () => keys.close());
    await host.up();
    return host;
  }

  get url(): string {
    return this.served.url;
  }

  async up(): Promise<void> {
    this.served = await serve(join(this.dir, 'data'), this.env);
  }

  async stop(): Promise<void> {
    await this.served.stop();
    await this.closeKeys();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
