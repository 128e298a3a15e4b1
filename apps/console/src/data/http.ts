import { store } from './store.js';

/** An answer that is a refusal, or that did not come. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  /** `status` 0: no answer came. `details`: what the answer says beside `error` and `code`. */
  constructor(
    readonly status: number,
    readonly code: string | undefined,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** The server asked who this is: what was typed stays, and the page offers to sign in. */
export const isSignedOut = store(false);

/** How far the server's clock is ahead of this one, in ms; a difference below two seconds is none. */
let ahead = 0;
export const now = (): number => Date.now() + ahead;

const ANSWERS_WITHIN_MS = 30_000;

interface Asked {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** JSON text. */
  readonly body?: string;
}

/** The JSON answer of this origin's API; undefined where it has none (204). @throws Refusal */
export async function ask<T>(path: string, { method = 'GET', body }: Asked = {}): Promise<T> {
  const sentAt = Date.now();
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
      headers: { accept: 'application/json', ...(method !== 'GET' && { 'content-type': 'application/json' }) },
      ...(method !== 'GET' && { body: body ?? '{}' }),
    });
    answer = await response.json().catch(() => undefined);
  } catch {
    throw new Refusal(0, undefined, 'No answer came from the server.');
  }
  setClock(response.headers.get('date'), sentAt);
  if (response.ok && (answer !== undefined || response.status === 204)) {
    if (path !== '/v1/me') isSignedOut.set(false);
    return answer as T;
  }
  if (response.status === 401) isSignedOut.set(true);
  const { error, code, ...details } = Object(answer) as Readonly<Record<string, unknown>>;
  throw new Refusal(
    response.status,
    typeof code === 'string' ? code : undefined,
    typeof error === 'string' ? error : `The answer was ${response.status}.`,
    details,
  );
}

/** The header has whole seconds: half of one is the best guess. */
function setClock(date: string | null, sentAt: number): void {
  const at = date === null ? NaN : Date.parse(date);
  if (Number.isNaN(at)) return;
  const apart = at + 500 - (sentAt + Date.now()) / 2;
  ahead = Math.abs(apart) < 2000 ? 0 : apart;
}
