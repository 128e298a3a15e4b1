interface ErrorRow {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const retrySoon = { 'retry-after': '1' };

/** The error table of spec 1, as far as its causes exist. */
export const DoorErrorCodes = {
  ERR_HOST_CLOSED: { status: 503, headers: { ...retrySoon, connection: 'close' } },
  ERR_CONCURRENT_RUN: { status: 409 },
  ERR_AWAITING_DECISION: { status: 409 },
  ERR_NO_PENDING_ASK: { status: 409 },
  ERR_PAUSE_NOT_CARRIED: { status: 409 },
  ERR_DECISION_REQUIRED: { status: 400 },
  ERR_RESUME_REFUSED: { status: 409 },
  ERR_ROLE_REQUIRED: { status: 403 },
  ERR_INVALID_WIRE_OP: { status: 400 },
  ERR_INVALID_SESSION_ID: { status: 400 },
  ERR_INVALID_RUN_INPUT: { status: 400 },
  ERR_INVALID_QUERY: { status: 400 },
  ERR_SESSION_NOT_FOUND: { status: 404 },
  ERR_SESSION_BLOCKED: { status: 503 },
  ERR_SESSION_OP_NEEDS_IDENTITY: { status: 501 },
  ERR_ARTIFACT_NOT_FOUND: { status: 404 },
  ERR_ARTIFACT_OPS_BUSY: { status: 429, headers: retrySoon },
  ERR_NOT_FOUND: { status: 404 },
  ERR_CALL_SETTLED: { status: 409 },
  ERR_FROZEN: { status: 503 },
  ERR_ARTIFACT_SESSION_REQUIRED: { status: 400 },
  ERR_IDEMPOTENCY_KEY_REUSED: { status: 422 },
  ERR_TURN_BOUND: { status: 500 },
  ERR_TURN_ABANDONED: { status: 409 },
  ERR_HOST_NOT_ALLOWED: { status: 421 },
  ERR_ORIGIN_NOT_ALLOWED: { status: 403 },
  ERR_UNSUPPORTED_MEDIA_TYPE: { status: 415 },
  ERR_IDENTITY_NOT_VERIFIED: { status: 401, headers: { 'www-authenticate': 'Bearer' } },
  ERR_IDENTITY_VERIFIER_UNAVAILABLE: { status: 503, headers: retrySoon },
  ERR_ADMISSION_REFUSED: { status: 429 },
  ERR_HOST_LOST: { status: 503 },
  ERR_LOG_UNAVAILABLE: { status: 503, headers: retrySoon },
  ERR_LEDGER_BEHIND: { status: 503, headers: retrySoon },
  ERR_ERASE_INCOMPLETE: { status: 503, headers: retrySoon },
  ERR_MODEL_UNAVAILABLE: { status: 503, headers: retrySoon },
  ERR_MODEL_RATE_LIMITED: { status: 503, headers: retrySoon },
  ERR_MODEL_REFUSED: { status: 502 },
  ERR_MODEL_ANSWER: { status: 502 },
} as const satisfies Record<string, ErrorRow>;

export type DoorErrorCode = keyof typeof DoorErrorCodes;

export const isDoorErrorCode = (code: string): code is DoorErrorCode => Object.hasOwn(DoorErrorCodes, code);
