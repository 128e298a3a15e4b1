import type { KeyObject } from 'node:crypto';
import { principalOf, type Principal } from '../identity/principal.js';
import { IdentityNotVerifiedError, type Verified, type Verifier } from '../identity/verifier.js';
import { CookieSeal } from './cookie-seal.js';
import { cookieNamed, setCookie, type CookieAttributes } from './cookies.js';
import { isFromOwnPage, type FromPage } from './own-page.js';

export interface SignedInOptions {
  /** Origin that browsers reach this deployment by. */
  readonly publicUrl: string;
  /** What people are named by; a cookie that was made by other settings proves nobody. */
  readonly issuer: string;
  readonly clientId: string;
  readonly tenantClaim?: string;
  readonly rolesClaim?: string;
  readonly hours: number;
}

/** Browsers keep 4096 bytes of a cookie, its name and attributes included; some count them all together. */
const MAX_COOKIE = 3800;

/**
 * People who signed in with a browser, known by a sealed cookie. Nothing of them is kept here: every process with the same deployment key and
 * settings knows them. The cookie is a credential like a bearer token, and proves the same person (P1).
 */
export class SignedIn implements Verifier {
  readonly origin: string;
  readonly seal = new CookieSeal();
  /** Browsers send it over TLS only; a page of this machine has none. */
  readonly isSecure: boolean;
  readonly #name: string;
  readonly #lastsS: number;
  readonly #settings: string;

  constructor({ publicUrl, issuer, clientId, tenantClaim, rolesClaim, hours }: SignedInOptions) {
    this.origin = new URL(publicUrl).origin;
    this.isSecure = this.origin.startsWith('https:');
    this.#name = this.isSecure ? '__Host-doorledger' : 'doorledger';
    this.#lastsS = hours * 3600;
    this.#settings = JSON.stringify([issuer, clientId, tenantClaim ?? null, rolesClaim ?? null]);
  }

  /** Until it is given the deployment's, everybody is unavailable (I6). */
  open(key: KeyObject): void {
    this.seal.give(key);
  }

  /** The cookie of a request that a page of ours sent; of any other request none (see `isFromOwnPage`). */
  cookieOf(request: FromPage): string | undefined {
    const cookie = cookieNamed(request.headers.cookie, this.#name);
    return cookie !== undefined && this.isAskedBy(request) ? cookie : undefined;
  }

  /** Whether a page of ours, or its user, sent the request. */
  isAskedBy(request: FromPage): boolean {
    return isFromOwnPage(request, this.origin);
  }

  /** @throws IdentityNotVerifiedError; VerifierUnavailableError */
  async verify(cookie: string): Promise<Verified> {
    const { who, by, exp } = await this.seal.open('session', cookie);
    const principal = by === this.#settings && principalOf(who);
    if (!principal) throw new IdentityNotVerifiedError('unverifiable');
    return { principal, expiresAt: exp * 1000 };
  }

  /** The `Set-Cookie` of a person; undefined where what is known of them does not fit into one. */
  async begin(principal: Principal): Promise<string | undefined> {
    const sealed = await this.seal.seal('session', { who: principal, by: this.#settings }, Math.floor(Date.now() / 1000) + this.#lastsS);
    return sealed.length > MAX_COOKIE ? undefined : setCookie(this.#name, sealed, this.#attributes(this.#lastsS));
  }

  /** The `Set-Cookie` that takes it away. */
  end(): string {
    return setCookie(this.#name, '', this.#attributes(0));
  }

  #attributes(maxAge: number): CookieAttributes {
    return { sameSite: 'Strict', secure: this.isSecure, maxAge };
  }
}
