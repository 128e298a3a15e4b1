import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { inTrace } from '@doorledger/contracts';
import { SpanKind, inSpan } from '@doorledger/observability';
import type { References } from '@doorledger/privacy';
import { askForBody, bearerOf, parseBody, type GuardRefusal, type Guarded } from '@doorledger/access';
import type { IngressRecorder } from '../ingress/ingress-recorder.js';
import { mintSessionId } from '../ownership/minted-id.js';
import { cookieOf, sessionOfCookie, type CookieSettings } from '../ownership/session-cookie.js';
import type { RequestDoor } from '../request-door.js';
import type { TurnStreams } from '../turns/turn-streams.js';
import { readAsked, type Asked, type Fields } from '../wire/asked.js';
import { uncoded, type Failure, type Terminal } from '../wire/terminal.js';
import { fileEarly } from './early-refusal.js';
import { HttpAsking, idempotencyKeyOf, presentedBy } from './http-asking.js';
import { EventStream, streamTo, wantsEvents, type FrameText } from './sse.js';
import { refuseBody } from './refuse-body.js';
import { send } from './send.js';

/** Another grammar over the same door: how its requests say what `readAsked` reads, and how its streams look. */
export interface Dialect {
  /** D16: a header that names the user without proving who asks, in lower case. */
  readonly userHeader: string;
  readonly fieldsOf: (fields: Fields) => Fields;
  readonly frameText: FrameText;
}

export interface HttpDoorOptions {
  /** D1 */
  readonly path: string;
  /** D11: a header that names the session when the body does not, in lower case. */
  readonly sessionHeader: string;
  /** D13; undefined: off. */
  readonly cookie?: CookieSettings;
  readonly references: () => References;
  /** Why nothing can be served right now, if so (D5, E7). */
  readonly unavailable: () => Failure | undefined;
  readonly guard: (request: Guarded) => GuardRefusal | undefined;
  readonly door: RequestDoor;
  readonly count: IngressRecorder['count'];
  readonly streams: TurnStreams;
  /** D24 */
  readonly onHangup: 'abort' | 'continue';
  readonly dialect?: Dialect;
  readonly now: () => number;
}

export const MAX_BODY_BYTES = 1024 * 1024;

/** The request door (D1): one POST route, judged in the order of D5, answered by exactly one terminal. */
export function httpDoor(fastify: FastifyInstance, options: HttpDoorOptions): void {
  fastify.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    // The type that the guard lets through is named besides: Fastify reads each request's type anew where only `*` takes it.
    for (const type of ['application/json', '*'])
      scope.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, parsed) => parsed(null, body));
    scope.setErrorHandler((error: FastifyError, _request, reply) => send(reply, bodyProblem(error, options.count)));
    scope.addHook('onRequest', guardOf(options));
    const route = { kind: SpanKind.SERVER, attributes: { 'http.request.method': 'POST', 'http.route': options.path } };
    scope.post(options.path, (request, reply) =>
      inTrace(request.headers.traceparent, () => inSpan(`POST ${options.path}`, route, () => serve(request, reply, options))),
    );
    scope.options(options.path, (request, reply) => preflight(request, reply, options));
    done();
  });
}

/** What stands before every route of a host: is it closing (D5), can anything be served (E7), may this caller ask at all (G1)? */
export function guardOf({
  unavailable,
  guard,
  door,
  count,
  now,
}: Pick<HttpDoorOptions, 'unavailable' | 'guard' | 'door' | 'count' | 'now'>) {
  return (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    const startedAt = now();
    const foreign = unavailable() ?? guard(guardedOf(request));
    if (!foreign) {
      askForBody(request.raw, reply.raw);
      return next();
    }
    const early = { door: 'request', bearerPresent: hasBearer(request), startedAt } as const;
    refuseBody(request, reply, fileEarly({ kind: 'fail', ...foreign }, early, { door, count }));
  };
}

const hasBearer = ({ headers }: FastifyRequest): boolean => bearerOf(headers.authorization) !== undefined;

export const guardedOf = (request: FastifyRequest): Guarded => ({
  method: request.method,
  isUpgrade: false,
  isProbe: false,
  headers: request.headers,
  from: request.socket.remoteAddress,
  rawHeaders: request.raw.rawHeaders,
});

function serve(request: FastifyRequest, reply: FastifyReply, options: HttpDoorOptions): void | Promise<void> {
  const startedAt = options.now();
  const body = parseBody(request.body as Uint8Array | undefined);
  if ('problem' in body) {
    return void send(reply, unreadableBody(body.problem, options.count));
  }
  const { fieldsOf } = options.dialect ?? {};
  const read = readAsked(fieldsOf ? fieldsOf(body.fields) : body.fields, sessionElsewhere(request.headers, options));
  if ('refused' in read)
    return void send(reply, fileEarly(read.refused, { door: 'request', bearerPresent: hasBearer(request), startedAt }, options));
  const { asked, cookie } = withMinted(read, options);
  if (wantsEvents(request.headers.accept)) return serveEvents(request, reply, asked, cookie, options);
  if (cookie) reply.header('set-cookie', cookie);
  const asking = new HttpAsking(request, reply, asked, options);
  const end = options.door.serve(asking, asking.presented.bearer !== undefined);
  return 'kind' in end ? void send(reply, end) : end.then((terminal) => void send(reply, terminal));
}

/** D23: the stream opens before the request is judged on; its terminal is the last frame, whatever it is. */
async function serveEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: Asked,
  cookie: string | undefined,
  { door, streams, dialect }: HttpDoorOptions,
): Promise<void> {
  reply.hijack();
  const stream = streams.begin();
  const events = new EventStream(reply.raw, cookie === undefined ? {} : { 'set-cookie': cookie }, dialect?.frameText);
  streamTo(reply.raw, events, stream, 0);
  const presented = presentedBy(request, dialect);
  const asking = { asked, presented, idempotencyKey: idempotencyKeyOf(request), watch: stream, signal: stream.signal };
  stream.end(await door.serve(asking, presented.bearer !== undefined));
}

/** D11: the header, then the cookie. */
export function sessionElsewhere(
  headers: IncomingHttpHeaders,
  { sessionHeader, cookie, references }: Pick<HttpDoorOptions, 'sessionHeader' | 'cookie' | 'references'>,
): string | undefined {
  const named = headers[sessionHeader];
  if (typeof named === 'string') return named;
  return cookie && sessionOfCookie(headers.cookie, cookie, references());
}

/** D13: in cookie mode a turn without a session gets one. */
function withMinted(asked: Asked, { cookie, references }: HttpDoorOptions): { asked: Asked; cookie?: string } {
  if (!cookie || asked.kind !== 'turn' || asked.sessionId !== undefined) return { asked };
  const sessionId = mintSessionId(references());
  return { asked: { ...asked, sessionId }, cookie: cookieOf(sessionId, cookie) };
}

/** G9: what the POST would get. */
function preflight(request: FastifyRequest, reply: FastifyReply, options: HttpDoorOptions): FastifyReply {
  const announced = request.headers['access-control-request-headers'];
  const asPost = { ...request.headers, ...(announced?.includes('content-type') ? { 'content-type': 'application/json' } : {}) };
  const refused = options.guard({ ...guardedOf(request), method: 'POST', headers: { 'content-type': 'application/json', ...asPost } });
  const early = { door: 'request', bearerPresent: hasBearer(request), startedAt: options.now() } as const;
  if (refused) return send(reply, fileEarly({ kind: 'fail', ...refused }, early, options));
  options.count('preflight');
  const { origin } = request.headers;
  if (origin)
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type, idempotency-key, x-session-id',
      vary: 'origin',
    });
  return reply.code(204).send();
}

/** D17, D26 */
export function unreadableBody(problem: 'not-json' | 'repeated-key', count: IngressRecorder['count']): Terminal {
  count('unparseable-body');
  return uncoded(400, problem === 'not-json' ? 'The body is not JSON.' : 'The body names a key twice.');
}

/** A body that did not come whole has its place in the census too (E4). */
export function bodyProblem(error: FastifyError, count: IngressRecorder['count']): Terminal {
  if (error.statusCode === 413) {
    count('body-too-large');
    return uncoded(413, 'The body is larger than 1 MiB.');
  }
  count('unreadable-request');
  return uncoded(error.statusCode ?? 400, 'The request could not be read.');
}
