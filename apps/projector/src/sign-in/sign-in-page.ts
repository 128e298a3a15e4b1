import type { FastifyReply } from 'fastify';

/** Of every answer under /auth: nothing of it is kept, framed or told to the next site. */
export const SIGN_IN_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

/** A page that says why nobody was signed in. Sentences are our own: nothing of the request stands in it. */
export function signInPage(
  reply: FastifyReply,
  { status, code, sentence }: { status: number; code: string; sentence: string },
): FastifyReply {
  if (status === 503) void reply.header('retry-after', '1');
  return reply
    .code(status)
    .headers(SIGN_IN_HEADERS)
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>Not signed in</title>` +
        `<h1>Not signed in</h1><p>${sentence}</p><p>Code: ${code}</p><p><a href="/auth/sign-in">Sign in</a></p></html>\n`,
    );
}
