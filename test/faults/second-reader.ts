import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LeaderEpochs } from './leader-epochs.js';
import { inCheckout, type KafkaCluster } from './real-parts.js';

/** A record as Kafka's own Java client read it, everything in text. */
export interface DumpedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  readonly epoch: number;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

const JAVA = 'java';
/** Control characters are escaped in JSON, so that these stand in no record. */
const FIELD = '\u001f';
const HEADER = '\u001e';

const formatting: Readonly<Record<string, string>> = {
  'print.timestamp': 'true',
  'print.partition': 'true',
  'print.offset': 'true',
  'print.headers': 'true',
  'print.key': 'true',
  'key.separator': FIELD,
  'headers.separator': HEADER,
};

export interface DumpOptions {
  readonly kafka: KafkaCluster;
  readonly epochs: LeaderEpochs;
  readonly topic: string;
  /** How many records the topic holds. */
  readonly records: number;
}

/**
 * Reads a whole topic by Kafka's console consumer, each partition in offset order.
 * @throws when it ended before it had read so many
 */
export async function* dumpTopic({ kafka, epochs, topic, records }: DumpOptions): AsyncGenerator<DumpedRecord> {
  if (records === 0) return;
  const child = spawn(
    JAVA,
    [
      ...['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'],
      ...['-cp', inCheckout('.cache/kafka/*'), 'org.apache.kafka.tools.consumer.ConsoleConsumer'],
      ...['--bootstrap-server', kafka.bootstrap.join(','), '--topic', topic, '--from-beginning'],
      ...['--max-messages', String(records), '--timeout-ms', '240000'],
      ...Object.entries(formatting).flatMap(([name, value]) => ['--formatter-property', `${name}=${value}`]),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let count = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      const record = readLine(topic, bytes.toString('utf8', from, end));
      yield { ...record, epoch: epochs.of(topic, record.partition, record.offset) };
      count++;
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
  await Promise.race([exited, sleep(10_000, undefined, { ref: false })]);
  if (count !== records) throw new Error(`Kafka's own consumer read ${count} of ${records} records of ${topic}: ${said.slice(0, 500)}`);
}

/** `LogAppendTime:1␟Partition:2␟Offset:3␟a:1␞b:2␟key␟value` */
export function readLine(topic: string, line: string): Omit<DumpedRecord, 'epoch'> {
  const [timestamp = '', partition = '', offset = '', headers = '', key = '', value = ''] = line.split(FIELD);
  const numberIn = (named: string): number => Number(/-?\d+/.exec(named)?.[0]);
  return {
    topic,
    partition: numberIn(partition),
    offset: numberIn(offset),
    timestamp: numberIn(timestamp),
    key,
    value,
    headers: headersIn(headers),
  };
}

function headersIn(text: string): Record<string, string> {
  if (text === 'NO_HEADERS') return {};
  return Object.fromEntries(
    text.split(HEADER).map((header) => {
      const colon = header.indexOf(':');
      return [header.slice(0, colon), header.slice(colon + 1)];
    }),
  );
}
