import { openSqliteLog } from '@doorledger/event-log';
import { Projector } from '../projector.js';
import { LedgerGenerations } from '../sqlite/generations.js';
import { SampleLog } from './sample-log.js';

/** Projects the log of a folder in small commits, says `.` after each, and `done` at its end. Meant to be killed. */
const [, , dir] = process.argv;
const log = await openSqliteLog({ dir: dir!, role: 'reader', topics: new SampleLog().topics });
const { store } = new LedgerGenerations(dir!).openLive();
const projector = await Projector.open({ store, topics: log.topics });
for (const topic of log.topics.keys())
  for await (const { partition, records } of log.read(topic, projector.applied[topic]!))
    for (let at = 0; at < records.length; at += 3) {
      await projector.take({ topic, partition, records: records.slice(at, at + 3) });
      process.stdout.write('.');
    }
await store.close();
await log.close();
process.stdout.write('done');
