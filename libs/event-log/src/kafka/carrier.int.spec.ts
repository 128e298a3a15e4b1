import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partitionCounts, topics as definitions } from '@doorledger/contracts';
import type { EventLog, RecordBatch } from '../event-log.js';
import { partitionHashes } from '../partition-hashes.js';
import { openSqliteLog } from '../sqlite/sqlite-log.js';
import { StoredRecord } from '../stored-record.js';
import { carryTopic } from './carrier.js';
import { type KafkaEventLog, openKafkaLog } from './kafka-log.js';
import { bareClient, connectionTo, describeOnKafka } from './testing/kafka-cluster.js';
import { createTopics } from './topics-admin.js';

jest.setTimeout(120_000);
const topic = definitions.private.name;
const PARTITIONS = partitionCounts('embedded').get(topic)!;
const topics = new Map([[topic, PARTITIONS]]);
const zeros = new Array<number>(PARTITIONS).fill(0);
const STARTS = 3;

describeOnKafka(
  'a log that is carried to Kafka',
  (cluster) => {
    let dir: string;
    let from: EventLog;
    let to: KafkaEventLog;
    beforeEach(async () => {
      dir = mkdtempSync(join(tmpdir(), 'doorledger-carry-'));
      // Every start of a writer is an epoch of its own.
      for (let start = 0; start < STARTS; start++) {
        await from?.close();
        from = await openSqliteLog({ dir, role: 'writer', topics });
        for (let i = 0; i < 40; i++)
          await from.append(topic, [
            { key: `key ${i % 7}`, value: Buffer.from([i, 0, 255, start]), headers: { ce_type: 'turn.renewed', ce_id: `é ${i}` } },
            { key: `key ${i % 5}`, value: Buffer.alloc(i % 20 === 0 ? 500_000 : 10, start), headers: {} },
          ]);
      }
      const admin = bareClient(cluster()).admin();
      await admin.connect();
      if ((await admin.listTopics()).includes(topic)) await admin.deleteTopics({ topics: [topic] });
      await admin.disconnect();
      const making = { connection: connectionTo(cluster()), topics, dev: true, timestamps: 'CreateTime' } as const;
      for (let made: string[] = []; made.length === 0;) made = await createTopics(making);
      to = await openKafkaLog({ ...connectionTo(cluster()), topics, dev: true, timestamps: 'any' });
    });
    afterEach(async () => {
      await from.close();
      await to.close();
      rmSync(dir, { recursive: true });
    });

    const carry = (more: object = {}) => carryTopic(topic, { connection: connectionTo(cluster()), from, to, ...more });
    const hashes = async (log: EventLog) => {
      const ends = (await from.ends(topic)).map(({ end }) => end);
      return partitionHashes(log, topic, zeros, ends);
    };
    async function recordsOf(log: EventLog): Promise<StoredRecord[]> {
      const records: StoredRecord[] = [];
      for await (const batch of log.read(topic, zeros)) records.push(...batch.records);
      return records.sort((a, b) => a.partition - b.partition || a.offset - b.offset);
    }
    const plain = ({ partition, offset, timestamp, epoch, key, value, headers }: StoredRecord) => ({
      ...{ partition, offset, timestamp, epoch, key, headers },
      value: Buffer.from(value!).toString('hex'),
    });

    it('X5 gives every record its offset, timestamp, epoch, key, headers and value, also after the topic is set up for use', async () => {
      await carry();
      const originals = (await recordsOf(from)).map(plain);
      expect(new Set(originals.map(({ epoch }) => epoch)).size).toBe(STARTS);
      expect((await recordsOf(to)).map(plain)).toEqual(originals);
      await createTopics({ connection: connectionTo(cluster()), topics, dev: true });
      expect(await hashes(to)).toEqual(await hashes(from));
      expect(await to.recordAt({ topic, partition: 1, offset: 3 }).then((record) => plain(record!))).toEqual(
        originals.find(({ partition, offset }) => partition === 1 && offset === 3),
      );
    });

    it('X5 reads from records that are appended later the epoch of their leader, whatever their headers say', async () => {
      await carry();
      await createTopics({ connection: connectionTo(cluster()), topics, dev: true });
      const headers = { 'doorledger-epoch': '77' };
      let appended: StoredRecord | undefined;
      // The broker that leads may hear of the setting a moment after the one that was asked to change it.
      for (let key = 0; appended?.headers['doorledger-epoch'] === undefined; key++) {
        const [position] = await to.append(topic, [{ key: `later ${key}`, value: Buffer.from('x'), headers }]);
        appended = await to.recordAt(position!);
      }
      expect(appended).toMatchObject({ epoch: 0, headers });
    });

    it('X5 goes on where it was interrupted, and appends nothing twice', async () => {
      let batches = 0;
      const onCarried = () => {
        if (++batches === 2) throw new Error('killed');
      };
      await expect(carry({ onCarried })).rejects.toThrow('killed');
      expect(await hashes(to)).not.toEqual(await hashes(from));
      await carry();
      expect(await hashes(to)).toEqual(await hashes(from));
      await carry();
      expect((await to.ends(topic)).map(({ end }) => end)).toEqual((await from.ends(topic)).map(({ end }) => end));
    });

    it('X5 stops where somebody else writes to the same partition', async () => {
      const [stranger] = await recordsOf(from);
      const disturbed = {
        ...{ topics: from.topics },
        read: (name: string, at: readonly number[]) => disturbing(from.read(name, at)),
      };
      async function* disturbing(batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
        for await (const batch of batches) {
          await to.append(topic, [{ key: stranger!.key, value: Buffer.from('not ours'), headers: {} }]);
          yield batch;
        }
      }
      await expect(carry({ from: disturbed })).rejects.toMatchObject({ code: 'ERR_MOVE_DIFFERS' });
    });
  },
  { brokers: 1 },
);

it('X5 has another hash for any other record', async () => {
  const record = (change: { offset?: number; timestamp?: number; epoch?: number; key?: string; value?: string; headers?: object } = {}) => {
    const { offset, timestamp, epoch, key, value, headers } = { ...base, ...change };
    return new StoredRecord(topic, 0, offset, timestamp, epoch, key, value, headers as Record<string, string>);
  };
  const base = { offset: 0, timestamp: 5, epoch: 1, key: 'k', value: 'v', headers: { a: '1', b: '2' } };
  const hashOf = async (records: StoredRecord[]) => {
    const read = async function* () {
      yield { topic, partition: 0, records };
    };
    return (await partitionHashes({ read }, topic, [0], [9]))[0];
  };
  const original = await hashOf([record()]);
  expect(await hashOf([record({ headers: { b: '2', a: '1' } })])).toBe(original);
  const others = [{ offset: 1 }, { timestamp: 6 }, { epoch: 2 }, { key: 'l' }, { value: 'w' }, { headers: { a: '1' } }];
  for (const change of others) expect(await hashOf([record(change)])).not.toBe(original);
  expect(await hashOf([record(), record()])).not.toBe(original);
  expect(await hashOf([])).not.toBe(original);
});
