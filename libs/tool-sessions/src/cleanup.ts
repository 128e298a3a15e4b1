import { DoorledgerError, type FactData } from '@doorledger/contracts';
import type { Clock } from './clock.js';

export type CloseReason = FactData<'tool-session.closed'>['reason'];
/** Ends what a tool session stands for. What it returns is awaited, within the bound. */
export type Cleanup = (reason: CloseReason) => unknown;

export class ToolTeardownTimeoutError extends DoorledgerError {
  constructor(boundMs: number) {
    super('ERR_TOOL_TEARDOWN_TIMEOUT', `A tool session was not closed within ${boundMs} ms. It is left to itself: look at the far side.`);
  }
}

/** The `code` of an error by which a cleanup says that the far side had gone before: that is a close (S6). */
export const ALREADY_GONE = 'ERR_ALREADY_GONE';

export interface Bound {
  readonly ms: number;
  readonly clock: Clock;
}

/**
 * Starts the cleanup and answers how it failed, undefined if it did not. Never rejects. Past the bound it is left to
 * itself, not cancelled (S4), and whatever becomes of it then is of no account.
 */
export function cleanUp(cleanup: Cleanup, reason: CloseReason, { ms, clock }: Bound): Promise<{ readonly error: unknown } | undefined> {
  return new Promise((resolve) => {
    const callOff = clock.after(ms, () => resolve({ error: new ToolTeardownTimeoutError(ms) }));
    const settle = (failure?: { readonly error: unknown }) => {
      callOff();
      resolve(failure);
    };
    (async () => cleanup(reason))().then(
      () => settle(),
      (error: unknown) => settle(isAlreadyGone(error) ? undefined : { error }),
    );
  });
}

/** Whether the work settled within the bound; it goes on either way. */
export function settlesWithin(work: Promise<unknown>, { ms, clock }: Bound): Promise<boolean> {
  return new Promise((resolve) => {
    const callOff = clock.after(ms, () => resolve(false));
    const settle = () => {
      callOff();
      resolve(true);
    };
    work.then(settle, settle);
  });
}

const isAlreadyGone = (error: unknown): boolean => read(error, 'code') === ALREADY_GONE;

/** All that a fact says of an error (T41). */
export function errorClassOf(error: unknown): string {
  const name = read(error, 'name');
  return typeof name === 'string' && /^[A-Za-z0-9_$]{1,64}$/.test(name) ? name : 'Error';
}

/** What a tool throws may be anything, even something that throws when it is looked at (S5). */
function read(error: unknown, field: 'code' | 'name'): unknown {
  try {
    return (error as Partial<Record<string, unknown>> | null | undefined)?.[field];
  } catch {
    return undefined;
  }
}
