import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';

/** A key of an issuer: what it signs with, and what it publishes. */
export interface SigningKey {
  readonly alg: string;
  readonly private: CryptoKey;
  readonly privateJwk: JWK;
  readonly publicJwk: JWK;
}

export async function signingKey(alg = 'ES256', kid?: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const named = { alg, use: 'sig', ...(kid !== undefined && { kid }) };
  return {
    alg,
    private: privateKey,
    privateJwk: { ...(await exportJWK(privateKey)), ...named },
    publicJwk: { ...(await exportJWK(publicKey)), ...named },
  };
}

/** Signs claims; the header names the key's `kid` unless another one is given, `null` for none. */
export function signed(
  key: SigningKey,
  claims: JWTPayload,
  header: { kid?: string | null; [name: string]: unknown } = {},
): Promise<string> {
  const { kid = key.publicJwk.kid, ...more } = header;
  return new SignJWT(claims).setProtectedHeader({ alg: key.alg, ...(typeof kid === 'string' && { kid }), ...more }).sign(key.private);
}
