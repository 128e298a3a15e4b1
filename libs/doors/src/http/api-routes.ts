import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConsentApi } from '../api/consent-api.js';
import type { ExternalIngressApi } from '../api/external-ingress-api.js';
import type { GrantApi } from '../api/grant-api.js';
import type { ApiCall, HostApi, RunningElsewhere } from '../api/host-api.js';
import type { Frame, StreamReader } from '../turns/turn-streams.js';
import type { NameApi } from '../api/names.js';
import type { OperatorApi } from '../api/operator-api.js';
import type { SpendApi } from '../api/spend-api.js';
import { readSpentQuery } from '../api/spend-asks.js';
import { bodyOf, eventOf, type Terminal } from '../wire/terminal.js';
import { bearerOf, parseBody, type FromPage, type Presented } from '@doorledger/access';
import { inTrace } from '@doorledger/contracts';
import { SpanKind, inSpan } from '@doorledger/observability';
import { presentedBy } from './http-asking.js';
import { MAX_BODY_BYTES, bodyProblem, guardOf, unreadableBody, type HttpDoorOptions } from './http-door.js';
import { send } from './send.js';
import { EventStream, streamTo, wantsEvents } from './sse.js';

export interface ApiRoutesOptions extends Pick<HttpDoorOptions, 'unavailable' | 'guard' | 'door' | 'count' | 'now' | 'streams'> {
  /** There once the host serves. */
  readonly apis: () => {
    readonly api: HostApi;
    readonly consents: ConsentApi;
    readonly operators: OperatorApi;
    readonly grants: GrantApi;
    readonly names: NameApi;
    readonly spends: SpendApi;
    readonly externals: ExternalIngressApi;
  };
  /** Of somebody who signed in with a browser (P1). The doors take bearers only. */
  readonly cookieOf: (request: FromPage) => string | undefined;
  /** D23: reads the stream of a turn that another host runs; false where it cannot be had. */
  readonly elsewhere: (running: RunningElsewhere, after: number, reader: StreamReader) => Promise<(() => void) | false>;
}

type ById = { Params: { id: string } };

/** The routes of the host's API (P5), behind the doors' own guard and identity (P1). */
export function apiRoutes(fastify: FastifyInstance, options: ApiRoutesOptions): void {
  const { apis, door } = options;
  fastify.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, parsed) => parsed(null, body));
    scope.setErrorHandler((error: FastifyError, _request, reply) => send(reply, bodyProblem(error, options.count)));
    scope.addHook('onRequest', guardOf(options));
    scope.post('/v1/sessions', (request, reply) => change(request, reply, 'session-mint', (call) => apis().api.mintSession(call)));
    scope.post<ById>('/v1/sessions/:id/close', (request, reply) =>
      change(request, reply, 'session-close', (call) => apis().api.closeSession(request.params.id, call)),
    );
    scope.post<ById>('/v1/consents/:id/decision', (request, reply) =>
      changeBy(request, reply, 'consent-decide', (fields, call) =>
        apis().consents.decide(request.params.id, { fields, body: request.body as Uint8Array }, call),
      ),
    );
    scope.post<ById>('/v1/consents/:id/close', (request, reply) =>
      change(request, reply, 'consent-close', (call) => apis().consents.close(request.params.id, call)),
    );
    scope.get<ById>('/v1/consents/:id/call', (request, reply) =>
      read(request, reply, (call) => apis().consents.call(request.params.id, call)),
    );
    scope.get<ById>('/v1/consents/:id/previous', (request, reply) =>
      read(request, reply, (call) => apis().consents.previous(request.params.id, call)),
    );
    scope.post('/v1/grants', (request, reply) =>
      changeBy(request, reply, 'grant-create', (fields, call) => apis().grants.create(fields, call)),
    );
    scope.get('/v1/grants', (request, reply) => read(request, reply, (call) => apis().grants.list(call)));
    scope.delete<ById>('/v1/grants/:id', (request, reply) =>
      change(request, reply, 'grant-revoke', (call) => apis().grants.revoke(request.params.id, call)),
    );
    scope.get('/v1/names', (request, reply) => read(request, reply, (call) => apis().names.read(request.query, call)));
    scope.post('/v1/freezes', (request, reply) =>
      changeBy(request, reply, 'freeze-set', (fields, call) => apis().operators.freeze(fields, call)),
    );
    scope.delete<ById>('/v1/freezes/:id', (request, reply) =>
      changeBy(request, reply, 'freeze-lift', (fields, call) => apis().operators.lift(request.params.id, fields, call)),
    );
    scope.get('/v1/freezes', (request, reply) => read(request, reply, (call) => apis().operators.freezes(call)));
    scope.post<ById>('/v1/tool-calls/:id/reconcile', (request, reply) =>
      changeBy(request, reply, 'tool-call-reconcile', (fields, call) => apis().operators.reconcile(request.params.id, fields, call)),
    );
    scope.post<ById>('/v1/users/:id/revoke', (request, reply) =>
      changeBy(request, reply, 'user-revoke', (fields, call) => apis().operators.revoke(request.params.id, fields, call)),
    );
    scope.get('/v1/ledger', (request, reply) => read(request, reply, (call) => apis().spends.store(call)));
    scope.post('/v1/ledger/spend', (request, reply) =>
      changeBy(request, reply, 'ledger-spend', (fields, call) => apis().spends.spend(fields, call)),
    );
    scope.post('/v1/ledger/ingress', (request, reply) =>
      changeBy(request, reply, 'ledger-ingress', (fields, call) => apis().externals.file(fields, call)),
    );
    scope.get('/v1/ledger/spent', (request, reply) =>
      read(request, reply, (call) => apis().spends.isSpent(() => readSpentQuery(request.query, request.url), call)),
    );
    scope.get<ById>('/v1/ledger/spent/:id', (request, reply) =>
      read(request, reply, (call) => apis().spends.isSpent(() => request.params.id, call)),
    );
    scope.post('/v1/erasures', (request, reply) =>
      changeBy(request, reply, 'erase', (fields, call) => apis().operators.erase(fields, call)),
    );
    scope.get<ById>('/v1/turns/:id', async (request, reply) => {
      if (wantsEvents(request.headers.accept)) return resume(request, reply, options);
      return read(request, reply, (call) => apis().api.turn(request.params.id, call));
    });
    done();
  });

  /** A change whose body says what it is. */
  async function changeBy(
    request: FastifyRequest,
    reply: FastifyReply,
    op: string,
    work: (fields: Readonly<Record<string, unknown>>, call: ApiCall) => Promise<Terminal>,
  ): Promise<FastifyReply> {
    const signal = new AbortController().signal;
    const body = parseBody(request.body as Uint8Array | undefined);
    if ('problem' in body) return send(reply, unreadableBody(body.problem, options.count));
    const presented = presentedTo(request, options);
    const isBearer = bearerOf(request.headers.authorization) !== undefined;
    const changed = () => door.change(op, isBearer, signal, (trace) => work(body.fields, { presented, signal, trace }));
    const span = { kind: SpanKind.SERVER, attributes: { 'doorledger.operation': op } };
    return send(reply, await inTrace(request.headers.traceparent, () => inSpan(`POST ${op}`, span, changed)));
  }

  async function read(request: FastifyRequest, reply: FastifyReply, work: (call: ApiCall) => Promise<Terminal>): Promise<FastifyReply> {
    const signal = new AbortController().signal;
    const presented = presentedTo(request, options);
    return send(reply, await door.read(signal, (trace) => work({ presented, signal, trace })));
  }

  /** A change that says all in its path. What stands in its body has to be JSON all the same. */
  async function change(
    request: FastifyRequest,
    reply: FastifyReply,
    op: string,
    work: (call: ApiCall) => Promise<Terminal>,
  ): Promise<FastifyReply> {
    return changeBy(request, reply, op, (_, call) => work(call));
  }
}

function presentedTo(request: FastifyRequest, { cookieOf }: Pick<ApiRoutesOptions, 'cookieOf'>): Presented {
  const cookie = cookieOf(request);
  return { ...presentedBy(request), ...(cookie !== undefined && { cookie }) };
}

/** D23: goes on where the reader left a turn's stream; where the pieces are gone, with one terminal frame. */
async function resume(request: FastifyRequest<ById>, reply: FastifyReply, options: ApiRoutesOptions): Promise<FastifyReply> {
  const { apis, door, streams, elsewhere } = options;
  const { id } = request.params;
  const presented = presentedTo(request, options);
  const signal = new AbortController().signal;
  const stream = streams.of(id);
  let isOwn = false;
  let isJudged = false;
  let running: RunningElsewhere | undefined;
  const end = await door.read(signal, async (trace): Promise<Terminal> => {
    const call = { presented, signal, trace };
    isOwn = stream !== undefined && (await apis().api.mayRead(stream, call));
    running = isOwn ? undefined : await apis().api.runningAt(id, call);
    const told = isOwn || running ? noEnd : await apis().api.turnEnd(id, call);
    isJudged = true;
    return told;
  });
  // What is refused before the stream opens has its own status; how the turn itself ended is a frame.
  if (!isJudged) return send(reply, end);
  reply.hijack();
  const events = new EventStream(reply.raw);
  if (isOwn && streamTo(reply.raw, events, stream!, lastSeen(request, id))) return reply;
  if (running && (await readFrom(running))) return reply;
  const last = isOwn || running ? await door.read(signal, (trace) => apis().api.turnEnd(id, { presented, signal, trace })) : end;
  events.frame({ n: 0, event: eventOf(last), data: JSON.stringify(bodyOf(last)) }, undefined);
  events.end();
  return reply;

  async function readFrom(host: RunningElsewhere): Promise<boolean> {
    const reader = { frame: (frame: Frame) => events.frame(frame, id), end: () => events.end() };
    const stop = await elsewhere(host, lastSeen(request, id), reader);
    if (!stop) return false;
    const left = () => {
      stop();
      events.end();
    };
    if (reply.raw.closed) left();
    else reply.raw.once('close', left);
    return true;
  }
}

/** Stands for an end that is read from the stream itself. */
const noEnd: Terminal = { kind: 'api', status: 200, body: {} };

/** `Last-Event-ID: <turnId>:<n>`; without one, or with another turn's, from the start. */
function lastSeen({ headers }: FastifyRequest, turnId: string): number {
  const given = headers['last-event-id'];
  const [turn, n] = typeof given === 'string' ? given.split(':') : [];
  return turn === turnId && /^\d{1,9}$/.test(n ?? '') ? Number(n) : 0;
}
