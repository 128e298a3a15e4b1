import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { askForBody } from '@doorledger/access';
import { SIGN_IN_FAILURES, SignInError, type SignIn } from '@doorledger/access/sign-in';
import type { Logger } from '@doorledger/observability';
import type { Access } from '../../../host/src/access.js';
import { SIGN_IN_HEADERS, signInPage } from './sign-in-page.js';

export interface SignInRoutesOptions extends Required<Pick<Access, 'guard' | 'signedIn'>> {
  readonly signIn: SignIn;
  readonly logger: Logger;
}

/** A provider that is away is told of no oftener. */
const TELL_EVERY_MS = 10_000;

/** Signing in and out with a browser (P1), behind the guard like every API. */
export function signInRoutes(fastify: FastifyInstance, { guard, signedIn, signIn, logger }: SignInRoutesOptions): void {
  let toldAt = -Infinity;
  fastify.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 1024 }, (_request, body, parsed) => parsed(null, body));
    scope.addHook('onRequest', (request, reply, next) => {
      const { method, headers, raw, socket } = request;
      const foreign = guard({ method, isUpgrade: false, isProbe: false, headers, rawHeaders: raw.rawHeaders, from: socket.remoteAddress });
      if (!foreign) {
        askForBody(raw, reply.raw);
        return next();
      }
      void reply.code(foreign.status).send({ error: foreign.error, code: foreign.code });
    });
    scope.get('/auth/sign-in', (request, reply) => redirected(reply, () => signIn.begin((request.query as { to?: unknown }).to)));
    scope.get('/auth/callback', (request, reply) => redirected(reply, () => signIn.finish(queryOf(request), request.headers.cookie)));
    scope.post('/auth/sign-out', (request, reply) => {
      if (signedIn.isAskedBy(request)) return reply.code(204).headers(SIGN_IN_HEADERS).header('set-cookie', signedIn.end()).send();
      const error = 'Only a page of this deployment may sign its reader out, with content-type: application/json.';
      return reply.code(403).headers(SIGN_IN_HEADERS).send({ error, code: 'ERR_ORIGIN_NOT_ALLOWED' });
    });
    done();
  });

  async function redirected(reply: FastifyReply, work: () => ReturnType<SignIn['begin']>): Promise<FastifyReply> {
    try {
      const { to, cookies } = await work();
      return await reply
        .headers(SIGN_IN_HEADERS)
        .header('set-cookie', [...cookies])
        .redirect(to, 303);
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      tell(error);
      return signInPage(reply, { code: error.code, ...SIGN_IN_FAILURES[error.code] });
    }
  }

  /** What whoever runs the deployment can mend. A sign-in that nobody began is nothing of the kind. */
  function tell(error: SignInError): void {
    if (error.code === 'ERR_SIGN_IN_NOT_BEGUN' || performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    logger.warn({ code: error.code, cause: error.cause }, 'A sign-in did not come about.');
  }
}

const queryOf = ({ url }: FastifyRequest): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');
