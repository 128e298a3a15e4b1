import { encode, eventOf, topics, type EventOrigin } from '@doorledger/contracts';
import { AppendIndefiniteError, LogRefusedError } from './errors.js';
import type { EventLog } from './event-log.js';
import { IDENTITY_KEY, changesSince, identitiesOf, readIdentity, type IdentityChange, type LogIdentity } from './log-identity.js';

export interface GenesisExpectation {
  /** HMAC of a fixed text under the deployment key (hex). */
  readonly keyCheck: string;
  /** The newest fold version this release knows. */
  readonly foldVersion: number;
  readonly newLogId: () => string;
}

/**
 * Reads the log's identity, writing it first where there is none; of several racing writers the first record stands.
 * @throws LogRefusedError `ERR_LOG_OTHER_PLACE`, `ERR_LOG_MOVED`, `ERR_LOG_OTHER_KEY`, `ERR_LOG_TOPICS`, `ERR_LOG_NEWER_FOLD` (K8, L8)
 */
export async function establishIdentity(log: EventLog, expected: GenesisExpectation, origin: EventOrigin): Promise<LogIdentity> {
  const found = await readIdentity(log);
  if (found) return judgeIdentity(found, log, expected);
  const { keyCheck, foldVersion } = expected;
  const data = { logId: expected.newLogId(), place: log.place, topics: Object.fromEntries(log.topics), foldVersion, keyCheck };
  const record = { key: IDENTITY_KEY, ...encode(eventOf({ type: 'log.genesis', data }, origin)) };
  for (;;) {
    // Indefinite: the record is looked for, and written again under the same id where it is not there (L7).
    await log.append(topics.system.name, [record]).catch((error: unknown) => {
      if (!(error instanceof AppendIndefiniteError)) throw error;
    });
    const standing = await readIdentity(log);
    if (standing) return judgeIdentity(standing, log, expected);
  }
}

/**
 * The log's identity, for a process that only reads; undefined on a log that has none yet.
 * @throws LogRefusedError as establishIdentity
 */
export async function checkIdentity(log: EventLog, expected: Omit<GenesisExpectation, 'newLogId'>): Promise<LogIdentity | undefined> {
  const found = await readIdentity(log);
  return found && judgeIdentity(found, log, expected);
}

/** `found`, for a log that may be started as what it says it is. @throws LogRefusedError as establishIdentity */
export async function judgeIdentity(
  found: LogIdentity,
  log: EventLog,
  expected: Omit<GenesisExpectation, 'newLogId'>,
): Promise<LogIdentity> {
  for (const change of changesSince(found, log, expected)) {
    if (change.of === 'place' && (await wasHere(found, log))) throw moved(change.was);
    const refusal = refusalOf(change);
    if (refusal) throw refusal;
  }
  return found;
}

/** Whether the log with this id lay here before it said that it lies elsewhere (X5). */
async function wasHere({ logId }: LogIdentity, log: EventLog): Promise<boolean> {
  for await (const former of identitiesOf(log)) if (former.logId === logId && former.place === log.place) return true;
  return false;
}

/** Undefined for an older fold, which this release folds too. */
function refusalOf(change: IdentityChange): LogRefusedError | undefined {
  switch (change.of) {
    case 'place':
      return new LogRefusedError(
        'ERR_LOG_OTHER_PLACE',
        'This log says it lives elsewhere: it is a copy or another cluster. Point to the original, or run "doorledger adopt" to make this one the log.',
      );
    case 'key':
      return new LogRefusedError(
        'ERR_LOG_OTHER_KEY',
        'This log was written under another deployment key. Set DOORLEDGER_KEY (or restore data/deployment.key) to the key it was started with.',
      );
    case 'topic':
      return new LogRefusedError(
        'ERR_LOG_TOPICS',
        `Topic ${change.topic} has ${change.is ?? 'no'} partitions here but ${change.was ?? 'none'} in the log's genesis: partition counts are fixed at creation. ` +
          'If the topics were made anew on purpose, "doorledger adopt" says what that means.',
      );
    case 'fold':
      return change.was <= change.is ? undefined : newerFold(change.was, change.is);
  }
}

const moved = (place: string): LogRefusedError =>
  new LogRefusedError(
    'ERR_LOG_MOVED',
    `This log was moved to Kafka cluster ${place} and goes on there; what lies here is its past. Start with the settings of that cluster (log: kafka, kafka.partitions: embedded).`,
  );

export const newerFold = (version: number, known: number): LogRefusedError =>
  new LogRefusedError(
    'ERR_LOG_NEWER_FOLD',
    `This log is folded by version ${version}; this release knows ${known}. Start a release that knows it.`,
  );
