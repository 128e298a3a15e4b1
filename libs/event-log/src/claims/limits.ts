/** Raised when the fold may judge a record otherwise than before (L8): a host refuses a log folded by a newer one. */
export const FOLD_VERSION = 1;

/** A run is alive while T is within this of its last standing record (L1). */
export const LEASE_MS = 30_000;
/** Log time for which an idempotency key is remembered (D18, L11). */
export const KEY_MS = 24 * 3_600_000;
/** A key older than this is dropped from the state; twice KEY_MS, so that no difference of broker clocks shortens its day. */
export const KEY_KEPT_MS = 2 * KEY_MS;

export const MAX_WAITING = 16;
/** Requests a run may hold, and calls it may make: 24 steps of 16 calls (L21). */
export const MAX_REQUESTS = 384;
export const MAX_CALLS = 384;
export const MAX_VOTES = 64;
/** Ended runs' calls of unknown outcome that can still be resolved. */
export const MAX_UNRESOLVED = 256;
/** Keys of ended runs; those of the standing and the waiting runs come on top. */
export const MAX_KEYS = 256;
