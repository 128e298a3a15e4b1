import { join } from 'node:path';
import type { JWK } from 'jose';
import { freePort } from '../../../../../test/faults/free-port.js';
import { ProviderChild } from './provider-child.js';

/** A real OpenID provider as a process: it can be killed, and come back at the same address with other keys. */
export interface OidcProvider {
  readonly issuer: string;
  start(keys: readonly JWK[]): Promise<void>;
  kill(): Promise<void>;
  /** A signed access token for `audience`. */
  token(audience: string): Promise<string>;
}

export async function oidcProvider(): Promise<OidcProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const child = new ProviderChild();
  return {
    issuer,
    start: (keys) => child.start(join(__dirname, 'oidc-child.ts'), [String(port), JSON.stringify({ keys })]),
    kill: () => child.kill(),
    token: async (audience) => {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from('robot:secret').toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience, scope: 'use' }),
      });
      const { access_token: token, error_description: why } = (await response.json()) as Record<string, string | undefined>;
      if (!token) throw new Error(`The provider gives no token: ${why}`);
      return token;
    },
  };
}
