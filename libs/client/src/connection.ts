import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError, refusalOf, unanswered } from './request-error.js';

export interface ConnectionOptions {
  /** Where a host answers, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** A bearer token, or what gives one for each request. */
  readonly token?: string | (() => string | Promise<string>);
  /** How often a request is tried in all, where to repeat it is safe. */
  readonly attempts?: number;
  readonly fetch?: typeof fetch;
}

/** `repeatable`: doing it twice is doing it once. `turn`: its answer tells whether it began. `once`: neither. */
export type Repeating = 'repeatable' | 'turn' | 'once';

export interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly repeating: Repeating;
  /** Longest wait for one answer, ms; no bound where it is absent. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const FIRST_WAIT_MS = 100;
const LAST_WAIT_MS = 5000;

/** Requests to one address. Tries again only what provably did not run, or may run twice (docs/client.md). */
export class Connection {
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url.replace(/\/+$/, '');
  }

  async headers(more: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
    const { token } = this.#options;
    const bearer = typeof token === 'function' ? await token() : token;
    return { ...more, ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) };
  }

  /** The answer's body. @throws RequestError */
  async json<T>(request: Request): Promise<T> {
    return (await (await this.send(request)).json()) as T;
  }

  /** @throws RequestError for every answer that is no success */
  async send(request: Request): Promise<Response> {
    const { attempts = 5 } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(request);
      } catch (error) {
        if (!(error instanceof RequestError) || attempt >= attempts || request.signal?.aborted || !mayRepeat(error, request)) throw error;
        await sleep(error.retryAfterMs ?? waitMs(attempt), undefined, request.signal ? { signal: request.signal } : {});
      }
    }
  }

  async #once({ method = 'GET', path, query = {}, body, headers, repeating, timeoutMs, signal }: Request): Promise<Response> {
    const url = new URL(`${this.url}${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const bounds = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)].filter((one) => one !== undefined);
    const response = await (this.#options.fetch ?? fetch)(url, {
      method,
      headers: await this.headers({ ...(method !== 'GET' && { 'content-type': 'application/json' }), ...headers }),
      ...(body && { body: JSON.stringify(body) }),
      ...(bounds.length > 0 && { signal: AbortSignal.any(bounds) }),
    }).catch((error: unknown) => {
      throw unanswered(error);
    });
    if (!response.ok) throw await refusalOf(response, repeating === 'turn');
    return response;
  }
}

/** A 503 that says when to come back, or no answer at all: and it did not run, or may run twice. */
function mayRepeat({ status, retryAfterMs, mayHaveRun }: RequestError, { repeating }: Request): boolean {
  const isPassing = status === undefined || (status === 503 && retryAfterMs !== undefined);
  return isPassing && (repeating === 'repeatable' || !mayHaveRun);
}

/** With jitter: many clients of a host that is back do not come at once. */
const waitMs = (attempt: number): number => Math.min(FIRST_WAIT_MS * 2 ** attempt, LAST_WAIT_MS) * (0.5 + Math.random() / 2);
