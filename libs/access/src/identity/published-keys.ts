import { createLocalJWKSet, errors, type CryptoKey, type JSONWebKeySet, type JWK, type JWTHeaderParameters } from 'jose';

/** The keys of one fetch: those a token may have been signed with, by its header. */
export type PublishedKeys = (header: JWTHeaderParameters) => Promise<CryptoKey[]>;

/**
 * Reads a key set (I10): a key listed twice is one; what is no key, a secret, a private key, or of a kind nobody here can use is skipped.
 * A token without `kid` gets every key that fits its algorithm.
 * @throws Error when it is no key set at all
 */
export function publishedKeys(document: unknown): PublishedKeys {
  const keys = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys)) throw new Error('The identity provider answered no key set.');
  const distinct = new Map(keys.filter(isKey).map((key) => [JSON.stringify(key), key]));
  const select = createLocalJWKSet({ keys: [...distinct.values()] } satisfies JSONWebKeySet);
  return async (header) => {
    try {
      return [await select(header)];
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return [];
      const fitting: CryptoKey[] = [];
      for await (const key of error) fitting.push(key);
      return fitting;
    }
  };
}

const isKey = (entry: unknown): entry is JWK => typeof entry === 'object' && entry !== null && 'kty' in entry;
