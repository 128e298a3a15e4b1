import type { ServerResponse } from 'node:http';
import type { Posted, SessionHolder } from './posted.js';

type Fault = (answer: Answer, asked: Posted, server: SessionHolder) => void | Promise<void>;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
export const textResult = (text: string) => ({ content: [{ type: 'text', text }] });

/** How the server answers one POST, by hand. */
export class Answer {
  readonly #response: ServerResponse;
  readonly #id: unknown;
  readonly #isModern: boolean;

  constructor(response: ServerResponse, id: unknown, isModern: boolean) {
    this.#response = response;
    this.#id = id;
    this.#isModern = isModern;
  }

  json(answered: object, id = this.#id): void {
    const result = this.#isModern ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...answered } : answered;
    this.#response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  rpcError(message: string): void {
    const error = { code: -32603, message };
    this.#response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: this.#id, error }));
  }

  status(status: number, headers: Record<string, string> = {}, body = 'no'): void {
    this.#response.writeHead(status, headers).end(body);
  }

  openStream(): void {
    this.#response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  }

  event(message: object, eventId?: string): void {
    this.#response.write(`${eventId === undefined ? '' : `id: ${eventId}\n`}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  }

  result(result: unknown, id = this.#id): void {
    this.event({ id: id as string, result });
  }

  end(): void {
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }

  raw(head: Record<string, string>, body: string): void {
    this.#response.writeHead(200, head).write(body);
  }
}

/** What a tool of this name does. Every one is a promise of the client's that somebody's server will break. */
export const faults: Readonly<Record<string, Fault>> = {
  ok: (answer) => answer.json(textResult('done')),
  stream: (answer) => {
    answer.openStream();
    answer.result(textResult('done'));
    answer.end();
  },
  meta: (answer, { message }) => answer.json({ ...textResult('meta'), structuredContent: { meta: message.params?._meta ?? null } }),
  error: (answer) => answer.json({ ...textResult('not today'), isError: true }),
  'rpc-error': (answer) => answer.rpcError('no such thing'),
  hang: () => {},
  accepted: (answer) => answer.status(202, {}, ''),
  status: (answer, { args }) => answer.status(Number(args['status'])),
  slow: async (answer, { args }) => {
    await pause(Number(args['ms']));
    answer.json(textResult('late'));
  },
  drop: (answer) => {
    answer.openStream();
    answer.event({ method: 'notifications/message', params: { level: 'info', data: 'working' } });
    answer.cut();
  },
  'end-without-answer': (answer) => {
    answer.openStream();
    answer.end();
  },
  resume: (answer, { message }, server) => {
    server.replay.set('7', { jsonrpc: '2.0', id: message.id, result: textResult('resumed') });
    answer.openStream();
    answer.event({ method: 'notifications/message', params: { level: 'info', data: 'come back' } }, '7');
    answer.end();
  },
  half: (answer) => {
    answer.raw({ 'content-type': 'application/json', 'content-length': '1000' }, '{"jsonrpc":"2.0",');
    answer.cut();
  },
  gone: (answer, { session }, server) => {
    server.forget(session);
    answer.status(404);
  },
  busy: (answer, { args, times }) => {
    const headers: Record<string, string> = args['after'] === undefined ? {} : { 'retry-after': args['after'] as string };
    if (times <= Number(args['times'])) answer.status(429, headers);
    else answer.json(textResult('after all'));
  },
  'busy-then-gone': (answer, { times, session }, server) => {
    if (times === 1) return answer.status(429);
    server.forget(session);
    answer.status(404);
  },
  'text-id': (answer, { message }) => answer.json(textResult('for another'), String(message.id)),
  'wrong-id': (answer) => answer.json(textResult('for another'), 4_711),
  twice: (answer) => {
    answer.openStream();
    answer.result(textResult('first'));
    answer.result(textResult('second'));
    answer.end();
  },
  large: (answer, { args }) => answer.json(textResult('x'.repeat(Number(args['bytes'])))),
  'large-stream': (answer, { args }) => {
    answer.openStream();
    answer.event({ method: 'notifications/message', params: { level: 'info', data: 'one' } }, '1');
    answer.result(textResult('x'.repeat(Number(args['bytes']))));
    answer.end();
  },
  progress: async (answer, { args, message }) => {
    answer.openStream();
    const count = Number(args['count']);
    for (let n = 1; n <= count; n++) {
      await pause(Number(args['everyMs']));
      answer.event({
        method: 'notifications/progress',
        params: { progressToken: message.params?._meta?.['progressToken'], progress: n, total: count, message: `step ${n}` },
      });
    }
    if (args['answers'] === false) return;
    answer.result(textResult('done'));
    answer.end();
  },
  redirect: (answer, _asked, server) => answer.status(307, { location: `${server.url}?again` }),
  image: (answer) =>
    answer.json({
      content: [
        { type: 'text', text: 'see' },
        { type: 'image', data: Buffer.from('pixels').toString('base64'), mimeType: 'image/png' },
      ],
    }),
};
