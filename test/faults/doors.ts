import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { framesOf, type EventFrame } from './event-frames.js';
import { named, noAnswer, post, readBody, type Answer, type Headers } from './post.js';

/** The ways into a host: one JSON answer, an event stream, a conversation. */
export type Door = 'json' | 'stream' | 'conversation';

export const doors: readonly Door[] = ['json', 'stream', 'conversation'];

export interface Asking {
  readonly headers?: Headers;
  readonly limitMs: number;
}

/** Asks a host for one thing through a door, and never throws. A conversation names no turn and takes no idempotency key. */
export async function askAt(door: Door, url: string, body: object, { headers = {}, limitMs }: Asking): Promise<Answer> {
  if (door === 'json') return post(`${url}/invoke`, body, limitMs, headers);
  const at = performance.now();
  try {
    return await (door === 'stream' ? askForStream : converse)(url, body, headers, AbortSignal.timeout(limitMs));
  } catch (error) {
    return noAnswer(error, at);
  }
}

async function askForStream(url: string, body: object, headers: Headers, signal: AbortSignal): Promise<Answer> {
  const at = performance.now();
  const response = await fetch(`${url}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  const ms = performance.now() - at;
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    return { status: response.status, ...readBody(text), text, ms };
  }
  const frames = framesOf(text);
  const end = frames.find(isTerminal);
  if (!end) throw new Error('The stream broke off.');
  const [turnId] = frames.flatMap(({ id }) => (id === undefined ? [] : [id.slice(0, id.lastIndexOf(':'))]));
  return { ...named(response), ...(turnId && { turnId }), ...answerOf(end), ms };
}

async function converse(url: string, body: object, headers: Headers, signal: AbortSignal): Promise<Answer> {
  const at = performance.now();
  const socket = new WebSocket(`${url.replace('http', 'ws')}/conversation`, { headers });
  const refused = new Promise<Said>((resolve) =>
    socket.once('unexpected-response', (_request, response) => void saidBy(response).then(resolve, () => {})),
  );
  const told = new Promise<Said>((resolve) =>
    socket.on('message', (data) => {
      const frame = JSON.parse((data as Buffer).toString()) as EventFrame;
      if (isTerminal(frame)) resolve(answerOf(frame));
    }),
  );
  const broken = once(socket, 'close', { signal }).then(() => {
    throw new Error('The conversation broke off.');
  });
  broken.catch(() => {});
  // Whatever goes wrong closes it.
  socket.on('error', () => {});
  socket.once('open', () => socket.send(JSON.stringify({ id: 1, ...body })));
  try {
    return { ...(await Promise.race([told, refused, broken])), ms: performance.now() - at };
  } finally {
    socket.terminate();
  }
}

type Said = Pick<Answer, 'status' | 'code' | 'text' | 'body'>;

/** Of a handshake that was refused. */
async function saidBy(response: IncomingMessage): Promise<Said> {
  const text = (await response.toArray()).join('');
  return { status: response.statusCode!, text, ...readBody(text) };
}

const isTerminal = ({ event }: EventFrame): boolean => event !== 'progress' && event !== 'chunk';

/** A frame has no status: the one that its code has in an answer. */
function answerOf({ event, data }: EventFrame): Said {
  const body = data as Readonly<Record<string, unknown>> & { code?: string };
  const said = { body, text: JSON.stringify(body) };
  if (event !== 'error') return { status: event === 'awaiting' ? 202 : 200, ...said };
  return { status: statusOf.get(body.code ?? '') ?? 500, code: body.code, ...said };
}

const codes: Readonly<Record<number, readonly string[]>> = {
  400: ['ERR_INVALID_WIRE_OP', 'ERR_INVALID_SESSION_ID', 'ERR_INVALID_RUN_INPUT'],
  401: ['ERR_IDENTITY_NOT_VERIFIED'],
  404: ['ERR_SESSION_NOT_FOUND'],
  409: ['ERR_CONCURRENT_RUN', 'ERR_AWAITING_DECISION', 'ERR_NO_PENDING_ASK', 'ERR_RESUME_REFUSED', 'ERR_TURN_ABANDONED'],
  503: ['ERR_LOG_UNAVAILABLE', 'ERR_LEDGER_BEHIND', 'ERR_HOST_CLOSED', 'ERR_IDENTITY_VERIFIER_UNAVAILABLE'],
};
const statusOf = new Map(Object.entries(codes).flatMap(([status, of]) => of.map((code) => [code, Number(status)] as const)));
