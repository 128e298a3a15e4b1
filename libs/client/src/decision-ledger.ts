import { randomUUID } from 'node:crypto';
import type { Connection } from './connection.js';
import { RequestError } from './request-error.js';

/** What agent libraries take as their ledger of decisions (N41). */
export interface DecisionLedger {
  /** The log's id: what was spent under another one says nothing here. */
  readonly storeId: string;
  /** True: this very call has spent it, and nobody else ever can. @throws SpendError: then nothing may run on it */
  spend(requestId: string): Promise<boolean>;
  /** Whether anybody has, as of the log's end at the time of the question. @throws RequestError */
  isSpent(requestId: string): Promise<boolean>;
}

/** No answer that counts came, so the call must not run (fails closed). */
export class SpendError extends RequestError {
  /** N30: false only where it is proven that the request was not used up by this. */
  readonly mayHaveBeenUsed: boolean;

  constructor(error: RequestError, mayHaveBeenUsed: boolean) {
    super(error.message, { ...error, cause: error });
    this.mayHaveBeenUsed = mayHaveBeenUsed;
  }
}

/** The host answers for another log than the ledger was opened on (N33). */
export class OtherLedgerError extends Error {
  override readonly name = 'OtherLedgerError';
}

interface Spent {
  readonly spent: boolean;
  readonly storeId: string;
}

const ANSWERS_WITHIN_MS = 15_000;

/** Opens the ledger of the caller's namespace. @throws RequestError */
export async function openDecisionLedger(connection: Connection): Promise<DecisionLedger> {
  const ask = <T>(request: { readonly path: string; readonly query?: { readonly id: string }; readonly body?: object }) =>
    connection.json<T>({ ...request, ...(request.body && { method: 'POST' }), repeating: 'repeatable', timeoutMs: ANSWERS_WITHIN_MS });
  const { storeId } = await ask<{ storeId: string }>({ path: '/v1/ledger' });
  const heard = (answer: Spent): boolean => {
    if (answer.storeId === storeId) return answer.spent;
    throw new OtherLedgerError(
      'This host keeps another log than the one the ledger was opened on. Open it anew, and ask anew for what waits.',
    );
  };
  return {
    storeId,
    async spend(id) {
      // One claim for all attempts of this call: an answer that was lost is given again.
      const body = { id, claimId: randomUUID() };
      try {
        return heard(await ask<Spent>({ path: '/v1/ledger/spend', body }));
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        const { mayHaveBeenUsed = error.mayHaveRun } = error.details as { mayHaveBeenUsed?: boolean };
        throw new SpendError(error, mayHaveBeenUsed);
      }
    },
    isSpent: async (id) => heard(await ask<Spent>({ path: '/v1/ledger/spent', query: { id } })),
  };
}
