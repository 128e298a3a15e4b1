import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { outcomeOf } from '../ingress/outcome.js';
import type { IngressEntry, IngressRecorder } from '../ingress/ingress-recorder.js';
import { parseBody } from '../wire/body.js';
import { bodyOf, failure, uncoded, type Terminal } from '../wire/terminal.js';
import { readTurnRequest, type TurnRequest } from '../wire/turn-request.js';

export interface HttpDoorOptions {
  /** D1 */
  readonly path: string;
  /** D11: a header that names the session when the body does not, in lower case. */
  readonly sessionHeader: string;
  readonly file: IngressRecorder['file'];
  /** E5: whether the caller waits until the record is durable. */
  readonly durability: { readonly served: 'before-reply' | 'buffered'; readonly refusals: 'before-reply' | 'buffered' };
  readonly sessionRef: (sessionId: string) => string;
  /** Why nothing can be served right now (E7), if so. */
  readonly unavailable: () => Terminal | undefined;
  /** Runs a turn to its terminal; never throws. `signal` aborts when the caller hangs up (D24). */
  readonly turn: (request: TurnRequest, signal: AbortSignal) => Promise<Terminal>;
  readonly now: () => number;
}

const MAX_BODY_BYTES = 1024 * 1024;
/** E7: a caller is not held longer than this by a log that does not answer. */
const FILING_TIMEOUT_MS = 5000;

/** What the door knows of a request when it ends: how it ended, and what of it may be recorded. */
interface Ended {
  readonly terminal: Terminal;
  /** Absent for what is counted and not recorded (E4). */
  readonly record?: Pick<IngressEntry, 'door' | 'sessionRef'>;
}

/** The request door (D1): one POST route, judged in the order of D5, answered by exactly one terminal. */
export function httpDoor(fastify: FastifyInstance, options: HttpDoorOptions): void {
  fastify.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, parsed) => parsed(null, body));
    scope.setErrorHandler((error: FastifyError, _request, reply) => send(reply, bodyProblem(error)));
    scope.addHook('onRequest', (_request, reply, next) => {
      const unavailable = options.unavailable();
      if (unavailable) send(reply, unavailable);
      else next();
    });
    scope.post(options.path, (request, reply) => serve(request, reply, options));
    done();
  });
}

async function serve(request: FastifyRequest, reply: FastifyReply, options: HttpDoorOptions): Promise<FastifyReply> {
  const startedAt = options.now();
  let ended = await judge(request, reply, options);
  if (ended.record) ended = await file(ended, request, startedAt, options);
  return send(reply, ended.terminal);
}

async function judge(request: FastifyRequest, reply: FastifyReply, options: HttpDoorOptions): Promise<Ended> {
  const body = parseBody(request.body as Uint8Array | undefined);
  if ('problem' in body)
    return { terminal: uncoded(400, body.problem === 'not-json' ? 'The body is not JSON.' : 'The body names a key twice.') };
  const named = request.headers[options.sessionHeader];
  const asked = readTurnRequest(body.fields, typeof named === 'string' ? named : undefined);
  if ('refused' in asked) return refused(asked.refused);
  const sessionRef = asked.sessionId && options.sessionRef(asked.sessionId);
  const terminal = await options.turn(asked, hangUp(reply));
  return { terminal, record: { door: 'turn', ...(sessionRef && { sessionRef }) } };
}

/** E3, E4: a bad op is counted, a refused id is recorded at `request`, an empty message or a lone decision at `turn`. */
function refused(terminal: Terminal): Ended {
  const code = terminal.kind === 'fail' ? terminal.code : undefined;
  if (code === 'ERR_INVALID_WIRE_OP') return { terminal };
  return { terminal, record: { door: code === 'ERR_INVALID_SESSION_ID' ? 'request' : 'turn' } };
}

/** Takes the request's place in the census; waits for the log where the setting says so (E5). */
async function file({ terminal, record }: Ended, request: FastifyRequest, startedAt: number, options: HttpDoorOptions): Promise<Ended> {
  const at = options.now();
  const outcome = outcomeOf(terminal);
  const failed = terminal.kind === 'fail' ? terminal : undefined;
  const turnId = terminal.turnId;
  const filed = options.file({
    ...record!,
    at,
    outcome,
    ...(failed?.code && { errorCode: failed.code }),
    ...(failed?.errorName && { errorName: failed.errorName }),
    ...(turnId && { turnId }),
    bearerPresent: hasBearer(request.headers.authorization),
    durationMs: Math.max(0, at - startedAt),
  });
  const durability = outcome === 'served' ? options.durability.served : options.durability.refusals;
  const durable = filed.then(
    () => true,
    () => false,
  );
  if (durability === 'buffered' || (await within(durable, FILING_TIMEOUT_MS))) return { terminal };
  return { terminal: failure('ERR_LOG_UNAVAILABLE', 'The log did not confirm the record of this request in time.', { turnId }) };
}

/** What `work` resolves to, or false once `ms` have passed. */
async function within(work: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const outcome = await Promise.race([work, late]);
  clearTimeout(timer);
  return outcome;
}

function send(reply: FastifyReply, terminal: Terminal): FastifyReply {
  if (terminal.kind === 'fail' && terminal.headers) reply.headers(terminal.headers);
  if (terminal.turnId) reply.header('x-turn-id', terminal.turnId);
  if (terminal.kind === 'complete') reply.header('x-doorledger-position', terminal.position);
  return reply
    .code(terminal.kind === 'fail' ? terminal.status : 200)
    .type('application/json')
    .send(JSON.stringify(bodyOf(terminal)));
}

/** I2: scheme `bearer` in any case, and something after it. */
const hasBearer = (authorization: string | undefined): boolean => authorization !== undefined && /^bearer +\S/i.test(authorization);

function hangUp(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

function bodyProblem(error: FastifyError): Terminal {
  if (error.statusCode === 413) return uncoded(413, 'The body is larger than 1 MiB.');
  return uncoded(error.statusCode ?? 400, 'The request could not be read.');
}
