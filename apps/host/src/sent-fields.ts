import type { IncomingMessage } from 'node:http';
import { HttpException, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { askForBody, parseBody } from '@doorledger/access';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What these routes are sent says which one is meant, and holds no content. */
const MAX_BYTES = 64 * 1024;

/**
 * Leaves bodies to who reads them: by itself the server would read one, and refuse what it cannot, before anybody has judged who asks (D5).
 * A content type that is none is taken for one that is not JSON, for the guard to refuse (G2).
 */
export function leaveBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
  // G3. An expectation that nobody knows is none (RFC 9110, 10.1.1); by itself Node answers it in no door's shape, and nobody counts it.
  const { server } = fastify;
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (request: unknown, response: unknown) => void server.emit('request', request, response));
  fastify.addHook('onRequest', ({ headers }, _reply, next) => {
    if (headers['content-type'] !== undefined && !MEDIA_TYPE.test(headers['content-type']))
      headers['content-type'] = 'application/x-unknown';
    next();
  });
}

const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** The fields of a request's body, of a controller's method; read once the guards have let the request in. */
export const Sent = createParamDecorator((_: unknown, context: ExecutionContext): Promise<Readonly<Record<string, unknown>>> => {
  const http = context.switchToHttp();
  return sentFields(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});

/** @throws HttpException 400 `ERR_INVALID_QUERY`, 413 `ERR_BODY_TOO_LARGE` */
async function sentFields({ raw }: FastifyRequest, reply: FastifyReply): Promise<Readonly<Record<string, unknown>>> {
  askForBody(raw, reply.raw);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of whole(raw)) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) {
      void reply.header('connection', 'close');
      throw refused(413, 'ERR_BODY_TOO_LARGE', `The body is larger than ${MAX_BYTES / 1024} KiB.`);
    }
    pieces.push(piece);
  }
  const body = parseBody(Buffer.concat(pieces));
  if ('fields' in body) return body.fields;
  throw refused(400, 'ERR_INVALID_QUERY', body.problem === 'not-json' ? 'The body is not JSON.' : 'The body names a key twice.');
}

/** What it ends early stays open: the answer goes out on it. */
async function* whole(raw: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw refused(400, 'ERR_INVALID_QUERY', 'The body did not come whole.');
  }
}

const refused = (status: number, code: string, error: string): HttpException => new HttpException({ error, code }, status);
