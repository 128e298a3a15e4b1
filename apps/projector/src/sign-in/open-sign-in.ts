import { readFileSync } from 'node:fs';
import { DoorledgerError } from '@doorledger/contracts';
import type { DoorledgerConfig } from '@doorledger/config';
import type { Logger } from '@doorledger/observability';
import type { FastifyInstance } from 'fastify';
import type { Access } from '../../../host/src/access.js';

/** The routes of signing in with a browser; undefined where the configuration names no client. @throws DoorledgerError `ERR_CONFIG_FILE` */
export async function openSignIn(
  { oidc, signIn: settings, identity }: DoorledgerConfig,
  { signedIn, guard }: Access,
  logger: Logger,
): Promise<((fastify: FastifyInstance) => void) | undefined> {
  if (!signedIn) return undefined;
  const { issuer = '', audiences = [], tenantClaim, rolesClaim } = oidc;
  const { clientId = '', scopes, clientSecret = secretIn(settings.clientSecretFile) } = settings;
  // The provider's client is loaded only where somebody can sign in.
  const { SignIn } = await import('@doorledger/access/sign-in');
  const { signInRoutes } = await import('./sign-in-routes.js');
  const signIn = new SignIn({
    signedIn,
    issuer: { issuer, audiences, ...(tenantClaim && { tenantClaim }), ...(rolesClaim && { rolesClaim }) },
    clientId,
    ...(clientSecret && { clientSecret }),
    scopes,
    clockToleranceS: identity.clockToleranceS,
  });
  return (fastify) => signInRoutes(fastify, { guard, signedIn, signIn, logger });
}

function secretIn(file: string | undefined): string | undefined {
  try {
    return file && readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new DoorledgerError('ERR_CONFIG_FILE', `The file ${file} of signIn.clientSecretFile cannot be read: check its path and rights.`, {
      cause,
    });
  }
}
