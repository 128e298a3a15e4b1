import type { LifeCheck, LogStatus } from '../data/types.js';
import { checksOf } from './checks.js';

const partition = { partition: 0, start: 10, end: 30, applied: 30, lag: 0 };
const status: LogStatus = {
  place: 'p',
  generation: 2,
  lag: 0,
  topics: [{ topic: 't', lag: 0, partitions: [partition, { ...partition, partition: 1 }] }],
  quarantined: 0,
  digest: { sha256: 'd', rows: 1, generation: 2 },
  problems: [],
};
const life = { hostId: 'door-1', bootId: 'abcdefgh-1', unknown: 0, addsUp: true } as LifeCheck;
const failed = (found: Parameters<typeof checksOf>[0]) => checksOf(found).flatMap(({ isWell, says }) => (isWell ? [] : [says]));

it('P2 says what the ledger found well, with its numbers', () => {
  const checks = checksOf({ status, lives: [life], isCut: false });
  expect(checks.every(({ isWell }) => isWell)).toBe(true);
  expect(checks.map(({ says }) => says)).toEqual([
    'The ledger has read all of the log: 40 records.',
    'Requests add up in 1 life of a host.',
    'Every record could be read.',
    'The last replay built this generation, 2.',
  ]);
});

it('P2 and E12 say each thing that is not well, and what was not looked at', () => {
  const lost = { ...status, lag: 3, quarantined: 1, problems: ['A file is torn.'], generation: 3 };
  expect(failed({ status: lost, lives: [life, { ...life, addsUp: false }], isCut: false })).toEqual([
    'The ledger is 3 records behind the log.',
    'Requests do not add up in 1 life of a host: door-1 abcdefgh.',
    '1 record could not be read, and counts as nothing.',
    'A file is torn.',
    'The last replay built generation 2; this one is 3.',
  ]);
  expect(failed({ status, lives: [{ ...life, unknown: 4 }], isCut: true })).toEqual([
    'Requests add up in the newest 1 life of a host; there are more; 4 requests went unknown with a host.',
  ]);
  const { digest: _, ...never } = status;
  expect(failed({ status: never, lives: [], isCut: false })).toEqual(['No replay has compared this ledger with the log yet.']);
});
