import type { LifeCheck, LogStatus } from '../data/types.js';
import { count } from './names.js';

/** One thing that the ledger was asked, and how it stands. */
export interface Check {
  readonly isWell: boolean;
  readonly says: string;
}

export interface Found {
  readonly status: LogStatus;
  readonly lives: readonly LifeCheck[];
  /** There are lives of hosts that were not looked at. */
  readonly isCut: boolean;
}

/** What the ledger can tell of itself at once; the log's own chains are not among it. */
export function checksOf({ status, lives, isCut }: Found): readonly Check[] {
  const { lag, quarantined, digest, generation, problems, topics } = status;
  const records = topics.reduce((sum, topic) => sum + topic.partitions.reduce((all, { applied, start }) => all + applied - start, 0), 0);
  const bad = lives.filter(({ addsUp }) => !addsUp);
  const unknown = lives.reduce((sum, life) => sum + life.unknown, 0);
  return [
    {
      isWell: lag === 0,
      says:
        lag === 0
          ? `The ledger has read all of the log: ${count(records, 'record')}.`
          : `The ledger is ${count(lag, 'record')} behind the log.`,
    },
    {
      isWell: bad.length === 0 && !isCut,
      says:
        bad.length === 0
          ? `Requests add up in ${isCut ? 'the newest ' : ''}${count(lives.length, 'life of a host', 'lives of hosts')}` +
            `${isCut ? '; there are more' : ''}${unknown > 0 ? `; ${count(unknown, 'request')} went unknown with a host` : ''}.`
          : `Requests do not add up in ${count(bad.length, 'life of a host', 'lives of hosts')}: ` +
            `${bad.map(({ hostId, bootId }) => `${hostId} ${bootId.slice(0, 8)}`).join(', ')}.`,
    },
    {
      isWell: quarantined === 0,
      says:
        quarantined === 0
          ? 'Every record could be read.'
          : `${count(quarantined, 'record')} could not be read, and ${quarantined === 1 ? 'counts' : 'count'} as nothing.`,
    },
    ...problems.map((says) => ({ isWell: false, says })),
    {
      isWell: digest?.generation === generation,
      says:
        digest === undefined
          ? 'No replay has compared this ledger with the log yet.'
          : digest.generation === generation
            ? `The last replay built this generation, ${generation}.`
            : `The last replay built generation ${digest.generation}; this one is ${generation}.`,
    },
  ];
}
