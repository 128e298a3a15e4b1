import { request } from 'node:http';
import { DoorledgerError } from '@doorledger/contracts';

export interface DemoAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface DemoRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const json = { 'content-type': 'application/json' };

/** The doors of the demo's host, as any caller has them. Counts what it asked by the status of the answer. */
export class DemoDoor {
  readonly answers = new Map<number, number>();

  constructor(
    private readonly url: string,
    private readonly signal: AbortSignal,
  ) {}

  /** One message in a session. @throws DoorledgerError `ERR_DEMO` where the answer is none of the `expected` */
  async say(sessionId: string, input: string, expected: readonly number[] = [200]): Promise<DemoAnswer> {
    return must(await this.post('/invoke', { sessionId, input }), expected);
  }

  /** A message that pauses for a person. Resolves with the id of the request that waits. */
  async pause(sessionId: string, input: string): Promise<string> {
    const { body } = await this.say(sessionId, input, [202]);
    return (body.awaiting as { readonly requestId: string }).requestId;
  }

  /** The asker's own word. */
  async decide(sessionId: string, requestId: string, approved: boolean, expected: readonly number[] = [200]): Promise<DemoAnswer> {
    return must(await this.post('/invoke', { sessionId, decision: { requestId, approved } }), expected);
  }

  post(path: string, fields: object, headers: Readonly<Record<string, string>> = {}): Promise<DemoAnswer> {
    return this.send({ method: 'POST', path, headers: { ...json, ...headers }, body: JSON.stringify(fields) });
  }

  /** A request as it stands, also one that no well-behaved client would send. */
  send({ method = 'GET', path, headers = {}, body }: DemoRequest): Promise<DemoAnswer> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const sent = request(new URL(path, this.url), { method, headers: { ...length, ...headers }, signal: this.signal }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const status = response.statusCode!;
          this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
          resolve({ status, body: bodyOf(Buffer.concat(chunks).toString('utf8')) });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/** An event stream is no JSON; its status says how it went. */
function bodyOf(text: string): DemoAnswer['body'] {
  try {
    return JSON.parse(text) as DemoAnswer['body'];
  } catch {
    return {};
  }
}

/** @throws DoorledgerError `ERR_DEMO` */
export function must(answer: DemoAnswer, expected: readonly number[]): DemoAnswer {
  if (expected.includes(answer.status)) return answer;
  const code = typeof answer.body.code === 'string' ? ` ${answer.body.code}` : '';
  throw new DoorledgerError(
    'ERR_DEMO',
    `A request of the demo was answered with ${answer.status}${code}, not with ${expected.join(' or ')}.`,
  );
}
