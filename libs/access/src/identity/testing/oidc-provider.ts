import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { JWK } from 'jose';

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
  let child: ChildProcess | undefined;
  return {
    issuer,
    start: async (keys) => {
      const program = join(__dirname, 'oidc-child.ts');
      child = spawn(process.execPath, [program, String(port), JSON.stringify({ keys })], { stdio: ['ignore', 'pipe', 'ignore'] });
      const ended = once(child, 'exit').then(() => Promise.reject(new Error('The provider ended by itself.')));
      await Promise.race([once(child.stdout!, 'data'), ended]);
      ended.catch(() => undefined);
    },
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
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

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
