import { mayHaveBeenUsed, type SpendAppend } from '@doorledger/consent';
import type { DoorledgerError } from '@doorledger/contracts';
import { AppendRefusedError, LedgerFellBackError, NotMetError, type DecisionLedger } from '@doorledger/event-log';
import type { Caller } from '../caller.js';
import type { Composer } from '../composer.js';
import { Refused } from '../refused.js';
import { failure, type Terminal } from '../wire/terminal.js';
import type { ApiCall } from './host-api.js';
import { namespaceOf } from './service-caller.js';
import { readDecisionId, readSpend } from './spend-asks.js';

export interface SpendApiOptions {
  readonly composer: Pick<Composer, 'callerOf'>;
  readonly decisions: Pick<DecisionLedger, 'spend' | 'isSpent'>;
  /** The log's identity (K8). */
  readonly logId: string;
  /** The ledger is too far behind to take on more. */
  readonly isBehind: () => boolean;
  /** P6 */
  readonly isFrozen: (caller: Caller) => boolean;
}

/** Other people's ledgers (N40), for services. Each call throws Refused or resolves to its terminal. */
export class SpendApi {
  constructor(private readonly options: SpendApiOptions) {}

  /** `{spent}`: whether this claim has spent the id. What stands on the log, or 503: then nobody may run anything on it. */
  async spend(fields: Readonly<Record<string, unknown>>, call: ApiCall): Promise<Terminal> {
    const { decisions, logId: storeId, isBehind, isFrozen } = this.options;
    const { caller, namespace } = await this.#service(call);
    const { id, claimId } = readSpend(fields);
    if (isFrozen(caller)) throw unanswered('ERR_FROZEN', 'An operator stopped this. Nothing was spent.', { kind: 'never-appended' });
    if (isBehind()) throw unanswered('ERR_LEDGER_BEHIND', 'The ledger is far behind the log. Try again soon.', { kind: 'never-appended' });
    try {
      return { kind: 'api', status: 200, body: { spent: await decisions.spend({ namespace, id }, claimId), storeId } };
    } catch (error) {
      if (error instanceof AppendRefusedError)
        throw unanswered('ERR_LOG_UNAVAILABLE', 'The log takes no facts right now, and nothing was spent. Try again.', {
          kind: 'never-appended',
        });
      if (!isUnread(error)) throw error;
      throw unanswered(
        'ERR_LOG_UNAVAILABLE',
        'Nobody knows yet whether this claim has spent the id. Ask again with the same claimId, and run nothing until then.',
        { kind: 'indefinite' },
      );
    }
  }

  /** `{spent}`: whether anybody has, as of the log's end at the time of the question. */
  async isSpent(idOf: () => unknown, call: ApiCall): Promise<Terminal> {
    const { decisions, logId: storeId } = this.options;
    const { namespace } = await this.#service(call);
    const asked = { namespace, id: readDecisionId(idOf()) };
    try {
      return { kind: 'api', status: 200, body: { spent: await decisions.isSpent(asked), storeId } };
    } catch (error) {
      if (error instanceof Refused) throw error;
      throw new Refused(failure('ERR_LOG_UNAVAILABLE', 'The log could not be read to its end, so nobody knows. Ask again.'));
    }
  }

  /** Which log is spent in, and whose ids these are: what a service's adapter begins with (N41). */
  async store(call: ApiCall): Promise<Terminal> {
    const { namespace } = await this.#service(call);
    return { kind: 'api', status: 200, body: { storeId: this.options.logId, namespace } };
  }

  async #service({ presented, signal, trace }: ApiCall): Promise<{ readonly caller: Caller; readonly namespace: string }> {
    const caller = await this.options.composer.callerOf(presented, signal, trace);
    return { caller, namespace: namespaceOf(caller) };
  }
}

/** What leaves open whether the record came to be, or whose it is. */
const isUnread = (error: unknown): boolean =>
  error instanceof NotMetError || error instanceof LedgerFellBackError || (error as DoorledgerError).code === 'ERR_DATABASE_AWAY';

/** N30: with every answer that is none, whether the id may be used up by it all the same. */
const unanswered = (code: 'ERR_FROZEN' | 'ERR_LEDGER_BEHIND' | 'ERR_LOG_UNAVAILABLE', sentence: string, append: SpendAppend): Refused =>
  new Refused(failure(code, sentence, { details: { mayHaveBeenUsed: mayHaveBeenUsed(append) } }));
