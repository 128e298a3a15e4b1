import type { KeyObject } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt, type JWTPayload } from 'jose';
import { IdentityNotVerifiedError, VerifierUnavailableError } from '../identity/verifier.js';

/** What a sealed cookie is for; one kind never passes for the other. */
type CookieKind = 'session' | 'flow';

const ALG = 'dir';
const ENC = 'A256GCM';

/** Cookies that only processes of this deployment can make and read (JWE under a key derived from the deployment key). */
export class CookieSeal {
  #key?: KeyObject;

  /** Until it is given one, nothing can be sealed or judged. */
  give(key: KeyObject): void {
    this.#key = key;
  }

  /** @param expiresAt epoch s; @throws VerifierUnavailableError before the key is there */
  async seal(kind: CookieKind, claims: JWTPayload, expiresAt: number): Promise<string> {
    return new EncryptJWT(claims)
      .setProtectedHeader({ alg: ALG, enc: ENC })
      .setAudience(kind)
      .setExpirationTime(expiresAt)
      .encrypt(this.#known);
  }

  /** @throws IdentityNotVerifiedError for one that has expired, was changed, or is none; VerifierUnavailableError before the key is there */
  async open(kind: CookieKind, sealed: string): Promise<JWTPayload & { readonly exp: number }> {
    const key = this.#known;
    try {
      const demands = { audience: kind, requiredClaims: ['exp'], keyManagementAlgorithms: [ALG], contentEncryptionAlgorithms: [ENC] };
      const { payload } = await jwtDecrypt(sealed, key, demands);
      return { ...payload, exp: payload.exp! };
    } catch (error) {
      throw new IdentityNotVerifiedError(error instanceof errors.JWTExpired ? 'expired' : 'unverifiable');
    }
  }

  get #known(): KeyObject {
    if (!this.#key) throw new VerifierUnavailableError();
    return this.#key;
  }
}
