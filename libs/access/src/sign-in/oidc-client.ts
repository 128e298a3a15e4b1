import {
  AuthorizationResponseError,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  None,
  ResponseBodyError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  clockTolerance,
  discovery,
  enableNonRepudiationChecks,
  type ClientAuth,
  type Configuration,
  type IDToken,
} from 'openid-client';
import { SignInError } from './sign-in-error.js';

export interface OidcClientOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** A public client has none. */
  readonly clientSecret?: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly clockToleranceS: number;
  /** Bound of one request to the provider, in s. */
  readonly timeoutS?: number;
}

/** What one sign-in is recognized by when the browser comes back. */
export interface Expected {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Past it the provider's addresses are asked for anew. */
const MAX_AGE_MS = 600_000;

/** This deployment as a client of its identity provider: authorization code flow with PKCE, state and nonce, id tokens with a signature of the issuer's. */
export class OidcClient {
  #known?: { readonly configuration: Configuration; readonly at: number };
  #asking?: Promise<Configuration>;

  constructor(private readonly options: OidcClientOptions) {}

  /** Where the browser goes. @throws SignInError `ERR_IDENTITY_VERIFIER_UNAVAILABLE` */
  async begin({ state, nonce }: Omit<Expected, 'verifier'>, challenge: string): Promise<URL> {
    const { redirectUri, scopes } = this.options;
    return buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
  }

  /** The claims of the id token that the provider gives for an answer's code. `query` as the browser brought it. @throws SignInError */
  async finish(query: string, { state, nonce, verifier }: Expected): Promise<IDToken> {
    const configuration = await this.#configuration();
    const answer = new URL(this.options.redirectUri);
    answer.search = query;
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      return (await authorizationCodeGrant(configuration, answer, checks)).claims()!;
    } catch (error) {
      throw refusal(error);
    }
  }

  #configuration(): Promise<Configuration> {
    if (this.#known && performance.now() - this.#known.at < MAX_AGE_MS) return Promise.resolve(this.#known.configuration);
    return (this.#asking ??= this.#discover().finally(() => (this.#asking = undefined)));
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret, clockToleranceS, timeoutS = 5 } = this.options;
    const execute = [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])];
    let configuration: Configuration;
    try {
      const metadata = { [clockTolerance]: clockToleranceS };
      configuration = await discovery(new URL(issuer), clientId, metadata, authOf(clientSecret), { execute, timeout: timeoutS });
    } catch (error) {
      throw new SignInError('ERR_IDENTITY_VERIFIER_UNAVAILABLE', namesOf(error));
    }
    // Bearer tokens are taken from the issuer of exactly this name; a person must not become another one by a slash.
    if (configuration.serverMetadata().issuer !== issuer)
      throw new SignInError('ERR_IDENTITY_VERIFIER_UNAVAILABLE', 'The discovery document at the issuer’s address is not of this issuer.');
    this.#known = { configuration, at: performance.now() };
    return configuration;
  }
}

/** The secret in the `Authorization` header, which every provider has to take (RFC 6749, 2.3.1), unless this one names others and not that. */
function authOf(secret: string | undefined): ClientAuth {
  if (secret === undefined) return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) =>
    (server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false ? post : basic)(server, ...rest);
}

/** Which of the page's failures an error of the client library is. */
function refusal(error: unknown): SignInError {
  const cause = namesOf(error);
  if (error instanceof AuthorizationResponseError)
    return new SignInError(error.error === 'temporarily_unavailable' ? 'ERR_IDENTITY_VERIFIER_UNAVAILABLE' : 'ERR_SIGN_IN_REFUSED', cause);
  if (isAway(error)) return new SignInError('ERR_IDENTITY_VERIFIER_UNAVAILABLE', cause);
  const isUsed = error instanceof ResponseBodyError && error.error === 'invalid_grant';
  return new SignInError(isUsed ? 'ERR_SIGN_IN_NOT_BEGUN' : 'ERR_SIGN_IN_ANSWER', cause);
}

/** No answer came, or the provider's server says that it is broken. */
function isAway(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.status >= 500;
  // What `fetch` throws where nobody answers.
  if (error instanceof TypeError) return error.cause instanceof Error;
  if (!(error instanceof ClientError)) return false;
  if (error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT') return true;
  return error.cause instanceof Response && error.cause.status >= 500;
}

/** Classes and codes of an error and its causes: their texts and fields may quote a token or an answer (I9). */
function namesOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the provider’s answer';
  const { name, code, error: told } = error as Error & { readonly code?: unknown; readonly error?: unknown };
  const own = [name, code, told].filter((word) => typeof word === 'string' && /^\w{1,60}$/.test(word)).join(' ');
  return error.cause instanceof Error ? `${own}, because of ${namesOf(error.cause)}` : own;
}
