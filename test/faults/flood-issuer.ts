import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';

const AUDIENCE = 'doors';
const ALG = 'ES256';
const KID = 'first';

/** Signs tokens, and publishes the key they are verified with. */
export interface Issuer {
  /** The settings of a door that takes its tokens. */
  readonly settings: Readonly<Record<string, string>>;
  /** A token that is valid for so many seconds from now; one that has expired for a negative number. */
  token(subject: string, validForS: number, roles?: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(ALG);
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: ALG, use: 'sig', kid: KID }] });
  const server = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(keys));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: { DOORLEDGER_OIDC_ISSUER: issuer, DOORLEDGER_OIDC_AUDIENCES: AUDIENCE, DOORLEDGER_OIDC_JWKS_URI: `${issuer}/keys` },
    token: (subject, validForS, roles) =>
      new SignJWT({ iss: issuer, aud: AUDIENCE, sub: subject, exp: Math.floor(Date.now() / 1000) + validForS, ...(roles && { roles }) })
        .setProtectedHeader({ alg: ALG, kid: KID })
        .sign(privateKey),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
