import { encode, eventOf, topics, type EventOrigin } from '@doorledger/contracts';
import { AppendIndefiniteError, LogRefusedError } from './errors.js';
import type { EventLog } from './event-log.js';
import { newerFold, type GenesisExpectation } from './genesis.js';
import { changesSince, IDENTITY_KEY, readIdentity, type IdentityChange, type LogIdentity } from './log-identity.js';

export interface AdoptionRequest extends GenesisExpectation {
  /** The operator knows that nothing sealed under the former deployment key will be opened again. */
  readonly mayChangeKey: boolean;
  /** L8: from here on the log is folded by the newest version this release knows. */
  readonly raisesFold: boolean;
  /** Records that were read are gone from the log: a topic was made anew. */
  readonly hasLostRecords: boolean;
}

/** What an operator is asked to accept. */
export interface Adoption {
  /** Undefined: the log does not say who it is. */
  readonly from?: LogIdentity;
  readonly to: LogIdentity;
  readonly changes: readonly IdentityChange[];
  /** False: the log is who it says it is, and there is nothing to write. */
  readonly isNeeded: boolean;
}

/**
 * What adopting the log would change (K8). A log that moved, or lost records, is another one from then on and gets a new id: what was minted
 * under the former one is `ledger-changed`. To raise the fold alone keeps the id (L8).
 * @throws LogRefusedError `ERR_LOG_OTHER_KEY` where that was not asked for, `ERR_LOG_NEWER_FOLD`
 */
export async function proposeAdoption(log: EventLog, request: AdoptionRequest): Promise<Adoption> {
  const { keyCheck, foldVersion, raisesFold, hasLostRecords } = request;
  const from = await readIdentity(log);
  if (from && from.foldVersion > foldVersion) throw newerFold(from.foldVersion, foldVersion);
  const changes = from ? changesSince(from, log, request).filter(({ of }) => of !== 'fold' || raisesFold) : [];
  if (changes.some(({ of }) => of === 'key') && !request.mayChangeKey) throw otherKey();
  const isOther = !from || hasLostRecords || changes.some(({ of }) => of !== 'fold');
  return {
    from,
    to: {
      logId: isOther ? request.newLogId() : from.logId,
      place: log.place,
      topics: Object.fromEntries(log.topics),
      foldVersion: from && !raisesFold ? from.foldVersion : foldVersion,
      keyCheck,
    },
    changes,
    isNeeded: isOther || changes.length > 0,
  };
}

/** Writes what the operator accepted; resolves once it is what the log says. @throws AppendRefusedError */
export async function adopt(log: EventLog, { to }: Pick<Adoption, 'to'>, origin: EventOrigin): Promise<void> {
  const record = { key: IDENTITY_KEY, ...encode(eventOf({ type: 'log.adopted', data: to }, origin)) };
  for (;;) {
    // Indefinite: the record is looked for, and written again under the same id where it is not there (L7).
    await log.append(topics.system.name, [record]).catch((error: unknown) => {
      if (!(error instanceof AppendIndefiniteError)) throw error;
    });
    const standing = await readIdentity(log);
    if (standing?.logId === to.logId && standing.place === to.place && standing.foldVersion === to.foldVersion) return;
  }
}

const otherKey = () =>
  new LogRefusedError(
    'ERR_LOG_OTHER_KEY',
    'This log was written under another deployment key, and all private content lies under it: set DOORLEDGER_KEY (or restore data/deployment.key) to that one. ' +
      'If it is lost for good and its content with it, say so: doorledger adopt --other-key.',
  );
