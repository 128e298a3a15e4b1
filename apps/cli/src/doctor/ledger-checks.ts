import type { EventLog } from '@doorledger/event-log';
import {
  countBlocked,
  countQuarantined,
  ledgerReader,
  projectedTopics,
  readTopicStatus,
  startsOf,
  type Generations,
  type LedgerStore,
} from '@doorledger/ledger';
import { well, wrong, type Finding } from './finding.js';

/** What a projector that runs catches up in a moment. */
const MOST_BEHIND = 1000;

/** Where the ledger is, and what nobody can read. @throws LedgerError */
export async function ledgerChecks(log: EventLog, generations: Generations): Promise<Finding[]> {
  if ((await generations.live) === undefined) return [well('ledger', 'There is none yet: the first start folds it from the log.')];
  const { store, generation } = await generations.openLiveReader();
  try {
    const { positions } = await ledgerReader(store, log.topics).positions();
    await startsOf(log, positions);
    const status = await readTopicStatus(log, positions, projectedTopics);
    const lag = status.reduce((sum, topic) => sum + topic.lag, 0);
    const says = `Generation ${generation} lacks ${lag} records of the log.`;
    const mend = 'See that a projector runs and what its log lines say; if its tables are damaged, doorledger replay --switch.';
    return [lag <= MOST_BEHIND ? well('ledger', says) : wrong('ledger', says, mend, 'ERR_LEDGER_BEHIND'), ...(await unreadable(store))];
  } finally {
    await store.close();
  }
}

async function unreadable({ db }: LedgerStore): Promise<Finding[]> {
  const [blocked, quarantined] = [await countBlocked(db), await countQuarantined(db)];
  return [
    blocked === 0
      ? well('sessions', 'None is blocked.')
      : wrong(
          'sessions',
          `${blocked} stand still behind a record that this release cannot read.`,
          'Start the newest release; GET /v1/sessions names them and the record (blockedBy).',
          'ERR_SESSION_BLOCKED',
        ),
    quarantined === 0
      ? well('quarantine', 'It is empty.')
      : wrong(
          'quarantine',
          `${quarantined} records of topics without claims cannot be read.`,
          'Find out who else writes these topics, and start the newest release: a rebuilt ledger reads them again.',
        ),
  ];
}
