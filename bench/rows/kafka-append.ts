import { topics } from '@doorledger/contracts';
import type { NewRecord } from '@doorledger/event-log';
import { compared, median, type BenchRow } from '../row.js';
import { load } from './append.js';
import type { OnKafka } from './on-kafka.js';
import { MicroBatches, rawClient, rawMessage } from './raw-kafka.js';

const CALLERS = [64, 256];
const ROUNDS = 5;

/** Appends of many callers, by turns with the same callers on micro-batches of kafkajs. */
export async function kafkaAppend({ kafka, log, say }: OnKafka, rawTopic: string): Promise<BenchRow[]> {
  const producer = rawClient(kafka).producer();
  await producer.connect();
  const batches = new MicroBatches(producer, rawTopic);
  const ours = (record: NewRecord) => log.append(topics.session.name, [record]);
  const theirs = (record: NewRecord) => batches.send(rawMessage(record));
  const rows: BenchRow[] = [];
  for (const callers of CALLERS) {
    const [own, raw]: [number[], number[]] = [[], []];
    // The first round warms both up.
    for (let round = 0; round <= ROUNDS; round++) {
      const [a, b] = [(await load(callers, ours)).rate, (await load(callers, theirs)).rate];
      if (round === 0) continue;
      own.push(a);
      raw.push(b);
      say(`${callers} callers, round ${round}: ${a.toFixed(0)} records/s, raw ${b.toFixed(0)}`);
    }
    const baseline = { name: 'micro-batches of kafkajs', value: median(raw) };
    rows.push(compared(`kafka append, ${callers} callers`, median(own), 'records/s', baseline));
  }
  await producer.disconnect();
  return rows;
}
