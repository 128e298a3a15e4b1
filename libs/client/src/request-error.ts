/** What a host or a projector answered, or that none answered. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** HTTP status; absent where no answer came. */
  readonly status?: number;
  /** The stable code of the answer, such as `ERR_CONCURRENT_RUN`. */
  readonly code?: string;
  /** Fields beside `error` and `code`. */
  readonly details: Readonly<Record<string, unknown>>;
  /** When to ask again, as the answer says. */
  readonly retryAfterMs?: number;
  /** False only where it is proven that nothing of the request was done. */
  readonly mayHaveRun: boolean;

  constructor(
    message: string,
    {
      status,
      code,
      details = {},
      retryAfterMs,
      mayHaveRun,
      cause,
    }: Partial<Pick<RequestError, 'status' | 'code' | 'details' | 'retryAfterMs'>> & Pick<RequestError, 'mayHaveRun'> & { cause?: unknown },
  ) {
    super(message, { cause });
    this.details = details;
    this.mayHaveRun = mayHaveRun;
    if (status !== undefined) this.status = status;
    if (code !== undefined) this.code = code;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** No connection came to be, so nothing was sent. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

export function unanswered(cause: unknown): RequestError {
  const { code } = ((cause as Error).cause ?? cause) as { code?: string };
  const wasSent = code === undefined || !NEVER_SENT.has(code);
  const sentence = wasSent ? 'The answer did not come.' : 'Nobody can be reached at this address.';
  return new RequestError(sentence, { mayHaveRun: wasSent, cause });
}

/** Answers of a door that has judged nothing yet. */
const NOT_BEGUN = new Set(['ERR_HOST_CLOSED', 'ERR_IDENTITY_VERIFIER_UNAVAILABLE']);
/** The host of the turn was lost after it had begun. */
const BEGUN = new Set(['ERR_TURN_ABANDONED']);

/** @param isTurn a turn that began is named in its answer, whatever becomes of it (E7) */
export async function refusalOf(response: Response, isTurn: boolean): Promise<RequestError> {
  const { status, headers } = response;
  const body = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  const { error, code, ...details } = body;
  const named = typeof code === 'string' ? code : undefined;
  const hasTurn = details.turnId !== undefined || headers.has('x-turn-id');
  const isUnbegun = named !== undefined && (NOT_BEGUN.has(named) || (isTurn && status === 503 && !hasTurn));
  const seconds = Number(headers.get('retry-after') ?? 'none');
  return new RequestError(typeof error === 'string' ? error : `The answer was ${status}.`, {
    status,
    ...(named !== undefined && { code: named }),
    details,
    ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1000 }),
    mayHaveRun: (named !== undefined && BEGUN.has(named)) || (status >= 500 && !isUnbegun),
  });
}

/** Of a frame, which has no status. @param hasBegun whether its turn had a name */
export function refusalIn({ error, code, ...details }: Readonly<Record<string, unknown>>, hasBegun: boolean): RequestError {
  return new RequestError(typeof error === 'string' ? error : 'The request failed.', {
    ...(typeof code === 'string' && { code }),
    details,
    mayHaveRun: hasBegun || details.turnId !== undefined,
  });
}
