/** What a request came to. */
export interface Answer {
  /** 0 when no whole answer came, for want of time or of a server. */
  readonly status: number;
  /** `late` where it took longer than the client waits. */
  readonly code?: string;
  readonly turnId?: string;
  /** `topic:partition:offset` of a turn's end. */
  readonly position?: string;
  readonly text: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly ms: number;
}

export type Headers = Readonly<Record<string, string>>;

/** Asks once and never throws. */
export async function post(url: string, body: object, limitMs: number, headers: Headers = {}): Promise<Answer> {
  const at = performance.now();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(limitMs),
    });
    const text = await response.text();
    return { status: response.status, ...readBody(text), ...named(response), text, ms: performance.now() - at };
  } catch (error) {
    return noAnswer(error, at);
  }
}

/** What a response's headers say of its turn. */
export const named = ({ headers }: Response): Pick<Answer, 'turnId' | 'position'> => ({
  turnId: headers.get('x-turn-id') ?? undefined,
  position: headers.get('x-doorledger-position') ?? undefined,
});

export function noAnswer(error: unknown, since: number): Answer {
  const { name, cause } = error as { name?: string; cause?: { name?: string } };
  const isLate = name === 'TimeoutError' || cause?.name === 'TimeoutError';
  return { status: 0, ...(isLate && { code: 'late' }), text: '', ms: performance.now() - since };
}

export function readBody(text: string): Pick<Answer, 'code' | 'body'> {
  try {
    const body = JSON.parse(text) as Answer['body'] & { code?: string };
    return { code: body.code, body };
  } catch {
    return {};
  }
}

/** What a retry under the key of a turn that failed is told (D18). */
const FAILED_BEFORE = 'This turn failed.';

/** Status and code, or what stands for one. */
export function nameOf({ status, code, body }: Answer): string {
  if (status === 0) return '0';
  const said = body?.error === FAILED_BEFORE ? 'failed before' : code;
  return said === undefined ? String(status) : `${status} ${said}`;
}
