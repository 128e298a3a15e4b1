import {
  SignedIn,
  bootWarnings,
  judgeStart,
  jwtVerifier,
  makeGuard,
  makeIdentify,
  type GuardOptions,
  type Identify,
} from '@doorledger/access';
import { issuersOf, type DoorledgerConfig } from '@doorledger/config';
import type { Logger } from '@doorledger/observability';

/** Who may come in, the same for doors and APIs (P1). */
export interface Access {
  readonly guard: ReturnType<typeof makeGuard>;
  readonly identify: Identify;
  /** Whom a browser's cookie proves; absent where nobody signs in with one. It judges nobody before it is given the deployment's key. */
  readonly signedIn?: SignedIn;
  /** What stands open, a sentence each: to be said once the address is listened on. */
  readonly warnings: readonly string[];
}

/**
 * Reads it from the configuration.
 * @throws DoorledgerError `ERR_OPEN_DOOR`, `ERR_GUARD_CONFIG`: the start is refused
 */
export function accessOf(config: DoorledgerConfig, logger: Logger): Access {
  const { identity, guard: listed, host: bindHost } = config;
  const issuers = issuersOf(config);
  const { open, openOnNetwork, allowAnonymous, clockToleranceS } = identity;
  const { hosts, origins, contentType, trustedProxies = [] } = listed;
  const options: GuardOptions = { bindHost, contentType, trustedProxies, ...(hosts && { hosts }), ...(origins && { origins }) };
  const guard = makeGuard(options);
  const warnings = [...judgeStart({ bindHost, hasVerifier: issuers.length > 0, open, openOnNetwork, issuers }), ...bootWarnings(options)];
  if (issuers.length === 0) return { guard, warnings, identify: makeIdentify({ allowAnonymous }) };
  const verifier = jwtVerifier(issuers, {
    clockToleranceS,
    onUnreachable: (issuer, err) => logger.warn({ err, issuer }, 'The keys of an issuer cannot be fetched; its tokens are not judged.'),
  });
  const signedIn = signedInOf(config);
  const identify = makeIdentify({ verifier, allowAnonymous, ...(signedIn && { signedIn }) });
  return { guard, warnings, identify, ...(signedIn && { signedIn }) };
}

function signedInOf({ oidc, signIn }: DoorledgerConfig): SignedIn | undefined {
  const { issuer = '', tenantClaim, rolesClaim } = oidc;
  const { clientId, publicUrl = '', hours } = signIn;
  if (clientId === undefined) return undefined;
  return new SignedIn({ publicUrl, issuer, clientId, hours, ...(tenantClaim && { tenantClaim }), ...(rolesClaim && { rolesClaim }) });
}
