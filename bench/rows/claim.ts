import { randomUUID } from 'node:crypto';
import { partitionCounts } from '@doorledger/contracts';
import { openSqliteLog } from '@doorledger/event-log';
import { compared, percentile, type Bench } from '../row.js';
import { inScratch } from '../scratch.js';
import { bareAppender, claimRecord } from './append.js';
import { claimOf, claimingOn } from './claiming.js';

const CLAIMS = 2000;
const counts = partitionCounts('embedded');

/** Append → the own fold says that it stands, one after the other, against one bare fsynced insert, by turns. */
export const claim: Bench = {
  name: 'claim',
  about: 'from appending a claim until the own fold says that it stands',
  run: () =>
    inScratch(async (dir) => {
      const log = await openSqliteLog({ dir, role: 'writer', topics: counts });
      const { view, tail, claims } = claimingOn(log);
      const bare = bareAppender(dir);
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let i = 0; i < CLAIMS; i++) {
        const turnId = randomUUID();
        const held = await view.hold(turnId, true);
        let at = performance.now();
        const [met] = await claims.append(turnId, [claimOf(turnId)]);
        ours.push(performance.now() - at);
        if (!met!.verdict.stands) throw new Error('A claim on a fresh key did not stand.');
        held.release();
        const record = claimRecord();
        at = performance.now();
        bare.append(record);
        theirs.push(performance.now() - at);
      }
      bare.close();
      await tail.close();
      await log.close();
      const row = (p: number, label: string) =>
        compared(`claim round trip ${label}`, percentile(ours, p), 'ms', {
          name: `one bare fsynced insert ${label}`,
          value: percentile(theirs, p),
        });
      return [row(0.5, 'p50'), row(0.99, 'p99')];
    }),
};
