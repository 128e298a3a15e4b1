import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type CryptoKey, type JWTPayload, type ProtectedHeaderParameters } from 'jose';
import { claimedPrincipal, type IssuerSettings } from './issuer.js';
import { fetchJson, keyAddressOf } from './key-address.js';
import { KeySet } from './key-set.js';
import { IdentityNotVerifiedError, type IdentityFailure, type Verifier } from './verifier.js';

export interface JwtVerifierOptions {
  /** How far an issuer's clock may be off, in seconds (I10: 0–120). */
  readonly clockToleranceS?: number;
  /** Bound of one fetch, in ms. */
  readonly fetchTimeoutMs?: number;
  readonly coolDownMs?: number;
  readonly maxAgeMs?: number;
  /** Told of each fetch of keys that failed, and why; callers are told nothing of it. */
  readonly onUnreachable?: (issuer: string, cause: unknown) => void;
  /** Epoch ms, for what tokens say of their time. */
  readonly now?: () => number;
  /** Monotonic ms, for the age of keys. */
  readonly elapsed?: () => number;
}

/** I7: no symmetric one, whose key would have to be kept here, and not `none`. */
const ALGORITHMS: readonly string[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

/**
 * I7, I10: takes JWTs of these issuers, signed with a key their issuer publishes, for one of its audiences, and not expired. Keys that a token
 * brings along or points to count for nothing. Of a token with several faults the first one found is told: its issuer, its signature, its
 * audience, its time.
 */
export function jwtVerifier(issuers: readonly IssuerSettings[], options: JwtVerifierOptions = {}): Verifier {
  const {
    clockToleranceS = 30,
    fetchTimeoutMs = 5_000,
    coolDownMs = 30_000,
    maxAgeMs = 600_000,
    onUnreachable = () => undefined,
    now = Date.now,
    elapsed = () => performance.now(),
  } = options;
  const known = new Map(
    issuers.map((settings) => {
      const { issuer } = settings;
      const fetch = async () => fetchJson(await keyAddressOf(settings, fetchTimeoutMs), fetchTimeoutMs);
      const onFailure = (cause: unknown) => onUnreachable(issuer, cause);
      return [issuer, { settings, keys: new KeySet({ fetch, onFailure, now: elapsed, maxAgeMs, coolDownMs }) }];
    }),
  );
  return {
    verify: async (token) => {
      const { header, issuer } = unproven(token);
      const trusted = known.get(issuer);
      if (!trusted) throw new IdentityNotVerifiedError('wrong-issuer');
      const keys = await trusted.keys.fitting(header);
      const claims = await proven(token, keys, {
        issuer,
        audience: [...trusted.settings.audiences],
        clockTolerance: clockToleranceS,
        currentDate: new Date(now()),
      });
      return { principal: claimedPrincipal(claims, trusted.settings), expiresAt: (claims.exp! + clockToleranceS) * 1000 };
    },
  };
}

/** What a token says of itself before anything of it is proven: whose keys to look at, and which of them. */
function unproven(token: string): { header: ProtectedHeaderParameters & { alg: string }; issuer: string } {
  try {
    const header = decodeProtectedHeader(token);
    const { iss } = decodeJwt(token);
    if (typeof header.alg === 'string' && ALGORITHMS.includes(header.alg))
      return { header: { ...header, alg: header.alg }, issuer: typeof iss === 'string' ? iss : '' };
  } catch {
    // The error's text may quote the token.
  }
  throw new IdentityNotVerifiedError('unverifiable');
}

type Demands = Pick<NonNullable<Parameters<typeof jwtVerify>[2]>, 'issuer' | 'audience' | 'clockTolerance' | 'currentDate'>;

/** The claims of a token that one of `keys` signed and that meets the demands. */
async function proven(token: string, keys: readonly CryptoKey[], demands: Demands): Promise<JWTPayload> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, { ...demands, algorithms: [...ALGORITHMS], requiredClaims: ['exp'] });
      return payload;
    } catch (error) {
      // A claim is looked at only once the signature is good; everything else may be the key's fault, and another one may fit.
      if (error instanceof errors.JWTExpired) throw new IdentityNotVerifiedError('expired');
      if (error instanceof errors.JWTClaimValidationFailed) throw new IdentityNotVerifiedError(failureOf(error));
    }
  }
  throw new IdentityNotVerifiedError('unverifiable');
}

function failureOf(error: errors.JWTClaimValidationFailed): IdentityFailure {
  if (error.claim === 'aud') return 'wrong-audience';
  return error.claim === 'nbf' && error.reason === 'check_failed' ? 'not-yet-valid' : 'unverifiable';
}
