import type { IssuerSettings } from './issuer.js';

const MAX_BYTES = 1024 * 1024;

/** JSON from an address that must answer 200 itself, whole within `timeoutMs`. */
export async function fetchJson(address: string, timeoutMs: number): Promise<unknown> {
  const response = await fetch(address, {
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
    headers: { accept: 'application/json, application/jwk-set+json' },
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`The identity provider answered ${response.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('The identity provider answered more than 1 MiB.');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
}

/** Where an issuer's keys are: as configured, else as its discovery document says. */
export async function keyAddressOf({ issuer, jwksUri }: IssuerSettings, timeoutMs: number): Promise<string> {
  if (jwksUri !== undefined) return jwksUri;
  const document = (await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, timeoutMs)) as {
    issuer?: unknown;
    jwks_uri?: unknown;
  } | null;
  if (document?.issuer !== issuer || typeof document.jwks_uri !== 'string')
    throw new Error('The discovery document at the issuer’s address is not of this issuer.');
  return document.jwks_uri;
}
