import { bearerOf, type Presented } from '@doorledger/access';
import type { FastifyRequest } from 'fastify';
import type { Access } from '../../../host/src/access.js';

/** What a request to an API of this process says of its caller: a bearer, or the cookie of who signed in with a browser (P1). */
export function presentedBy(request: FastifyRequest, { signedIn }: Pick<Access, 'signedIn'>): Presented {
  const bearer = bearerOf(request.headers.authorization);
  const cookie = signedIn?.cookieOf(request);
  return { ...(bearer !== undefined && { bearer }), ...(cookie !== undefined && { cookie }) };
}
