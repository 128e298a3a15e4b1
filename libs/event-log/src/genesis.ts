import { encode, eventOf, topics, whyInvalid, type EventOrigin, type FactData } from '@doorledger/contracts';
import { AppendIndefiniteError, LogRefusedError } from './errors.js';
import type { EventLog } from './event-log.js';

/** Who the log is (K8), as its first standing genesis record says. */
export type LogIdentity = FactData<'log.genesis'>;

export interface GenesisExpectation {
  /** HMAC of a fixed text under the deployment key (hex). */
  readonly keyCheck: string;
  /** The newest fold version this release knows. */
  readonly foldVersion: number;
  readonly newLogId: () => string;
}

const KEY = 'genesis';
const system = topics.system.name;

/**
 * Reads the log's identity, writing it first where there is none; of several racing writers the first record stands.
 * @throws LogRefusedError `ERR_LOG_OTHER_PLACE`, `ERR_LOG_OTHER_KEY`, `ERR_LOG_TOPICS`, `ERR_LOG_NEWER_FOLD` (K8, L8)
 */
export async function establishIdentity(log: EventLog, expected: GenesisExpectation, origin: EventOrigin): Promise<LogIdentity> {
  const found = await readIdentity(log);
  if (found) return judge(found, log, expected);
  const { keyCheck, foldVersion } = expected;
  const data = { logId: expected.newLogId(), place: log.place, topics: Object.fromEntries(log.topics), foldVersion, keyCheck };
  const record = { key: KEY, ...encode(eventOf({ type: 'log.genesis', data }, origin)) };
  for (;;) {
    // Indefinite: the record is looked for, and written again under the same id where it is not there (L7).
    await log.append(system, [record]).catch((error: unknown) => {
      if (!(error instanceof AppendIndefiniteError)) throw error;
    });
    const standing = await readIdentity(log);
    if (standing) return judge(standing, log, expected);
  }
}

/**
 * The log's identity, for a process that only reads; undefined on a log that has none yet.
 * @throws LogRefusedError as establishIdentity
 */
export async function checkIdentity(log: EventLog, expected: Omit<GenesisExpectation, 'newLogId'>): Promise<LogIdentity | undefined> {
  const found = await readIdentity(log);
  return found && judge(found, log, expected);
}

/** The first standing genesis record, or undefined on a log that has none yet. */
async function readIdentity(log: EventLog): Promise<LogIdentity | undefined> {
  for await (const { records } of log.read(system, [0]))
    for (const record of records) {
      if (record.key !== KEY || record.decoded.type !== 'log.genesis') continue;
      const { body } = record.decoded;
      if (body && !whyInvalid(body)) return body.data as unknown as LogIdentity;
    }
  return undefined;
}

function judge(found: LogIdentity, log: EventLog, { keyCheck, foldVersion }: Omit<GenesisExpectation, 'newLogId'>): LogIdentity {
  if (found.place !== log.place)
    throw new LogRefusedError(
      'ERR_LOG_OTHER_PLACE',
      'This log says it lives elsewhere: it is a copy or another cluster. Point to the original, or run "doorledger adopt" to make this one the log.',
    );
  if (found.keyCheck !== keyCheck)
    throw new LogRefusedError(
      'ERR_LOG_OTHER_KEY',
      'This log was written under another deployment key. Set DOORLEDGER_KEY (or restore data/deployment.key) to the key it was started with.',
    );
  const names = new Set([...Object.keys(found.topics), ...log.topics.keys()]);
  for (const name of names)
    if (found.topics[name] !== log.topics.get(name))
      throw new LogRefusedError(
        'ERR_LOG_TOPICS',
        `Topic ${name} has ${log.topics.get(name) ?? 'no'} partitions here but ${found.topics[name] ?? 'none'} in the log's genesis: partition counts are fixed at creation.`,
      );
  if (found.foldVersion > foldVersion)
    throw new LogRefusedError(
      'ERR_LOG_NEWER_FOLD',
      `This log is folded by version ${found.foldVersion}; this release knows ${foldVersion}. Start a release that knows it.`,
    );
  return found;
}
