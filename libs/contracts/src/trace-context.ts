import { AsyncLocalStorage } from 'node:async_hooks';

/** W3C Trace Context, level 1: all zeros and version ff name nothing. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

const current = new AsyncLocalStorage<string>();

/** Does `work` as a part of the trace that a request named (P8); a header that is no `traceparent` names none. */
export const inTrace = <T>(traceparent: unknown, work: () => T): T =>
  typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? current.run(traceparent, work) : work();

/** Does `work` as a part of no trace: what it starts goes on for others. */
export const outOfTrace = <T>(work: () => T): T => current.exit(work);

/** The trace of the request that is being worked for, as it named it. */
export const currentTraceparent = (): string | undefined => current.getStore();
