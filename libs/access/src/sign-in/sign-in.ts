import { calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { cookieNamed, setCookie } from '../browser/cookies.js';
import type { SignedIn } from '../browser/signed-in.js';
import { claimedPrincipal, type IssuerSettings } from '../identity/issuer.js';
import { principalOf } from '../identity/principal.js';
import { IdentityNotVerifiedError, VerifierUnavailableError } from '../identity/verifier.js';
import { localPath } from './local-path.js';
import { OidcClient, type OidcClientOptions } from './oidc-client.js';
import { SignInError } from './sign-in-error.js';

export interface SignInOptions extends Omit<OidcClientOptions, 'issuer' | 'redirectUri'> {
  readonly signedIn: SignedIn;
  /** Who the people are: the same as for their bearer tokens. */
  readonly issuer: IssuerSettings;
}

/** Where the browser goes next, and the cookies it takes along. */
export interface Redirect {
  readonly to: string;
  readonly cookies: readonly string[];
}

/** Longest time that a person may take at the provider. */
const FLOW_S = 600;

/** Signing in with a browser (P1). What is known of a sign-in in flight lies in a sealed cookie of its own; no process remembers it. */
export class SignIn {
  readonly #client: OidcClient;

  constructor(private readonly options: SignInOptions) {
    const { signedIn, issuer, ...client } = options;
    this.#client = new OidcClient({ ...client, issuer: issuer.issuer, redirectUri: `${signedIn.origin}/auth/callback` });
  }

  /** To the provider. `asked`: where the person wants to be afterwards. @throws SignInError */
  async begin(asked: unknown): Promise<Redirect> {
    const { signedIn } = this.options;
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const to = await this.#client.begin({ state, nonce }, await calculatePKCECodeChallenge(verifier));
    const flow = { state, nonce, verifier, to: localPath(asked, signedIn.origin) };
    const sealed = await judged(() => signedIn.seal.seal('flow', flow, Math.floor(Date.now() / 1000) + FLOW_S));
    return { to: to.href, cookies: [this.#flowCookie(state, sealed, FLOW_S)] };
  }

  /** Back from the provider, with the query it gave the browser and the browser's cookies. @throws SignInError */
  async finish(query: string, cookies: string | undefined): Promise<Redirect> {
    const { signedIn, issuer } = this.options;
    const state = new URLSearchParams(query).get('state') ?? '';
    const sealed = cookieNamed(cookies, this.#flowName(state));
    if (sealed === undefined) throw new SignInError('ERR_SIGN_IN_NOT_BEGUN');
    const flow = (await judged(() => signedIn.seal.open('flow', sealed))) as unknown as Flow;
    if (flow.state !== state) throw new SignInError('ERR_SIGN_IN_NOT_BEGUN');
    const claims = await this.#client.finish(query, flow);
    const principal = principalOf(claimedPrincipal(claims, issuer));
    if (!principal) throw new SignInError('ERR_SIGN_IN_NAMELESS');
    const { namespace: _, ...person } = principal;
    const cookie = await judged(() => signedIn.begin(person));
    if (cookie === undefined) throw new SignInError('ERR_SIGN_IN_TOO_LARGE');
    return { to: flow.to, cookies: [cookie, this.#flowCookie(state, '', 0)] };
  }

  /** One for each sign-in, so that two windows do not end each other's. */
  #flowName(state: string): string {
    return `${this.options.signedIn.isSecure ? '__Secure-' : ''}doorledger-flow-${state.replaceAll(/[^\w-]/g, '').slice(0, 8)}`;
  }

  /** The provider sends the browser back from another site: `Lax` lets that through. */
  #flowCookie(state: string, value: string, maxAge: number): string {
    return setCookie(this.#flowName(state), value, { sameSite: 'Lax', secure: this.options.signedIn.isSecure, path: '/auth', maxAge });
  }
}

interface Flow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly to: string;
}

/** @throws SignInError for a cookie that proves nothing or cannot be judged yet */
async function judged<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof IdentityNotVerifiedError) throw new SignInError('ERR_SIGN_IN_NOT_BEGUN');
    if (error instanceof VerifierUnavailableError) throw new SignInError('ERR_IDENTITY_VERIFIER_UNAVAILABLE');
    throw error;
  }
}
