import { topicByName } from '@doorledger/contracts';
import fc from 'fast-check';
import { AppendRefusedError } from '../errors.js';
import type { EventLog, NewRecord, RecordBatch } from '../event-log.js';
import { partitionOf } from '../partition.js';
import type { StoredRecord } from '../stored-record.js';
import type { ChildAppender } from './child-appender.js';
import { type AcknowledgedCall, recordsOfCall, violationsOf } from './history.js';

export interface EventLogFixture {
  /** Open and empty. */
  readonly log: EventLog;
  /** A topic of spec 9 with at least two partitions. */
  readonly topic: string;
  /** What appends may hold before they are refused: small, so that a test can fill it. */
  readonly maxQueuedBytes: number;
  /** Closes the log if it is open, and opens it again. */
  reopen(): Promise<EventLog>;
  /** Takes the place of the log as the only writer: close it first, reopen it after. */
  startChildAppender(): ChildAppender;
  dispose(): Promise<void>;
}

const KILLS = 20;

/** What every adapter of the log keeps (K1–K5, K7); an adapter's own promises stand in its own specs. */
export function eventLogContract(name: string, open: () => Promise<EventLogFixture>): void {
  describe(`${name} keeps the event log contract`, () => {
    let fixture: EventLogFixture;
    let log: EventLog;
    let topic: string;
    let partitions: number;

    beforeEach(async () => {
      fixture = await open();
      ({ log, topic } = fixture);
      partitions = log.topics.get(topic)!;
    });
    afterEach(() => fixture.dispose());

    const fromStart = (): number[] => Array.from({ length: partitions }, () => 0);
    const ends = async (): Promise<number[]> => (await log.ends(topic)).map(({ end }) => end);

    async function readAll(from = fromStart()): Promise<StoredRecord[][]> {
      const found: StoredRecord[][] = from.map(() => []);
      for await (const { partition, records } of log.read(topic, from)) found[partition]!.push(...records);
      return found;
    }

    /** So many calls at once, each of 1 to 4 records of one key. */
    async function appendCalls(count: number, prefix = 'call'): Promise<AcknowledgedCall[]> {
      return Promise.all(
        Array.from({ length: count }, async (_, i) => {
          const call = `${prefix}-${i}`;
          return { call, positions: await log.append(topic, recordsOfCall(call, 1 + (i % 4), `key-${i % 13}`)) };
        }),
      );
    }

    it('K1 answers an append with the place of each record, in the order given, and the records are there', async () => {
      const records = Array.from({ length: 40 }, (_, i): NewRecord => ({
        key: `key-${i}`,
        value: Buffer.from(`value ${i}`),
        headers: { n: `${i}` },
      }));
      const before = Date.now();
      const positions = await log.append(topic, records);
      for (const [i, position] of positions.entries()) {
        const { key, value, headers, timestamp, ...place } = (await log.recordAt(position))!;
        expect({ key, value: Buffer.from(value!).toString(), headers }).toEqual({
          key: `key-${i}`,
          value: `value ${i}`,
          headers: { n: `${i}` },
        });
        expect(place).toMatchObject(position);
        expect(timestamp).toBeGreaterThanOrEqual(before - 1_000);
      }
      expect(await log.recordAt({ topic, partition: 0, offset: 1_000 })).toBeUndefined();
    });

    it('K1 and K2 keep the records of one call together and in order, whoever else appends', async () => {
      const acknowledged = await appendCalls(200);
      expect(violationsOf({ acknowledged, partitions: await readAll() })).toEqual([]);
    });

    it('K1 and K2 give back any key, header and value as they were given', async () => {
      const text = fc.string({ unit: 'grapheme', maxLength: 20 });
      const record = fc.record({ key: text, value: fc.uint8Array({ maxLength: 200 }), headers: fc.dictionary(text, text, { maxKeys: 4 }) });
      const given: NewRecord[] = [];
      await fc.assert(
        fc.asyncProperty(fc.array(record, { maxLength: 8 }), async (records) => {
          given.push(...records);
          expect(await log.append(topic, records)).toHaveLength(records.length);
        }),
        { numRuns: 50 },
      );
      const plain = ({ key, value, headers }: Pick<StoredRecord, 'key' | 'value' | 'headers'>) => ({
        key,
        value: Buffer.from(value!).toString('hex'),
        headers: { ...headers },
      });
      log = await fixture.reopen();
      const found = await readAll();
      for (const [partition, records] of found.entries())
        expect(records.map(plain)).toEqual(given.filter(({ key }) => partitionOf(key, partitions) === partition).map(plain));
    });

    it('K2 reads every record from any position once, up to the ends as of the call', async () => {
      await appendCalls(100);
      const all = await readAll();
      const at = await ends();
      expect(all.map((records) => records.length)).toEqual(at);
      const reading = log.read(topic, fromStart());
      await appendCalls(10, 'later');
      const found: StoredRecord[][] = at.map(() => []);
      for await (const { partition, records } of reading) found[partition]!.push(...records);
      expect(found.map((records) => records.length)).toEqual(at);
      await fc.assert(
        fc.asyncProperty(fc.tuple(...at.map((end) => fc.integer({ min: 0, max: end }))), async (from) => {
          const later = await readAll(from);
          for (const [partition, records] of later.entries())
            expect(records.map(({ offset }) => offset).slice(0, at[partition]! - from[partition]!)).toEqual(
              all[partition]!.slice(from[partition]).map(({ offset }) => offset),
            );
        }),
        { numRuns: 20 },
      );
    });

    it('K2 goes on after the last offset when it is opened again', async () => {
      const first = await appendCalls(30, 'first');
      log = await fixture.reopen();
      const second = await appendCalls(30, 'second');
      expect(violationsOf({ acknowledged: [...first, ...second], partitions: await readAll() })).toEqual([]);
    });

    it('K3 loses no acknowledged record when the process is killed, and shows an unacknowledged one whole or not at all', async () => {
      await log.close();
      const acknowledged: AcknowledgedCall[] = [];
      let next = fixture.startChildAppender();
      for (let kill = 0; kill < KILLS; kill++) {
        const child = next;
        child.begin();
        next = fixture.startChildAppender();
        await child.acknowledgedCalls(1 + Math.floor(Math.random() * 200));
        await child.kill();
        acknowledged.push(...child.acknowledged);
      }
      await next.kill();
      log = await fixture.reopen();
      expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS);
      expect(violationsOf({ acknowledged, partitions: await readAll() })).toEqual([]);
    }, 120_000);

    it('K4 refuses for good what can never be on the log, and nothing of it is', async () => {
      const record = { key: 'key', value: Buffer.from('value'), headers: {} };
      const tooLarge = { ...record, value: Buffer.alloc(topicByName.get(topic)!.maxBytes + 1) };
      await expect(log.append(topic, [record, tooLarge])).rejects.toThrow(AppendRefusedError);
      await expect(log.append('doorledger.no-such-topic.v1', [record])).rejects.toThrow(AppendRefusedError);
      expect(await ends()).toEqual(fromStart());
      await log.close();
      await expect(log.append(topic, [record])).rejects.toThrow(AppendRefusedError);
    });

    it('K1 has on the log whatever was accepted before it was closed', async () => {
      const appending = appendCalls(50);
      await log.close();
      const acknowledged = await appending;
      log = await fixture.reopen();
      expect(violationsOf({ acknowledged, partitions: await readAll() })).toEqual([]);
    });

    it('K5 puts a key where every other adapter puts it', async () => {
      const keys = Array.from({ length: 50 }, (_, i) => `session-${i}`);
      const positions = await log.append(
        topic,
        keys.map((key) => ({ key, value: Buffer.from('{}'), headers: {} })),
      );
      expect(positions.map(({ partition }) => partition)).toEqual(keys.map((key) => partitionOf(key, partitions)));
    });

    it('K7 refuses a producer that does not wait for the disk, and has nothing of what it refused', async () => {
      const value = Buffer.alloc(4_096, 120);
      const calls = Math.ceil(fixture.maxQueuedBytes / value.length) * 2;
      const outcomes = await Promise.allSettled(
        Array.from({ length: calls }, (_, i) => log.append(topic, [{ key: `${i}`, value, headers: {} }])),
      );
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused.length).toBeGreaterThan(0);
      for (const { reason } of refused) expect(reason).toMatchObject({ code: 'ERR_LOG_BUSY' });
      expect(refused[0]!.reason).toBeInstanceOf(AppendRefusedError);
      const held = (await ends()).reduce((sum, end) => sum + end, 0);
      expect(held).toBe(calls - refused.length);
      await expect(log.append(topic, [{ key: 'again', value, headers: {} }])).resolves.toHaveLength(1);
    });

    /** Gathers what a subscription delivers; `until` resolves when it has so many records. */
    function gather() {
      const found: StoredRecord[][] = fromStart().map(() => []);
      let total = 0;
      let wanted = Infinity;
      let met = (): void => {};
      return {
        found,
        take({ partition, records }: RecordBatch): void {
          found[partition]!.push(...records);
          total += records.length;
          if (total >= wanted) met();
        },
        until(count: number): Promise<void> {
          wanted = count;
          return new Promise((resolve) => {
            met = resolve;
            if (total >= count) resolve();
          });
        },
      };
    }

    const recordsIn = (calls: readonly AcknowledgedCall[]): number => calls.reduce((sum, { positions }) => sum + positions.length, 0);

    it('K2 follows from any position on, in order and once, what is there and what comes', async () => {
      const first = await appendCalls(60, 'first');
      const all = gather();
      const subscription = log.follow({ [topic]: fromStart() }, all.take);
      const middle = await ends();
      const later = gather();
      const laterSubscription = log.follow({ [topic]: middle }, later.take);
      const second = await appendCalls(60, 'second');
      await Promise.all([all.until(recordsIn(first) + recordsIn(second)), later.until(recordsIn(second))]);
      expect(violationsOf({ acknowledged: [...first, ...second], partitions: all.found })).toEqual([]);
      expect(later.found.map((records) => records.map(({ offset }) => offset))).toEqual(
        all.found.map((records, partition) => records.slice(middle[partition]).map(({ offset }) => offset)),
      );
      await Promise.all([subscription.close(), laterSubscription.close()]);
    });

    it('K7 delivers one batch at a time to each partition of a follower, and a slow one holds up nobody', async () => {
      const running = new Set<number>();
      let overlaps = 0;
      const slow = gather();
      const slowSubscription = log.follow({ [topic]: fromStart() }, async (batch) => {
        if (running.has(batch.partition)) overlaps += 1;
        running.add(batch.partition);
        await held;
        running.delete(batch.partition);
        slow.take(batch);
      });
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const quick = gather();
      const quickSubscription = log.follow({ [topic]: fromStart() }, quick.take);
      const acknowledged = await appendCalls(100);
      await quick.until(recordsIn(acknowledged));
      expect(slow.found.flat()).toEqual([]);
      letGo();
      await slow.until(recordsIn(acknowledged));
      expect(overlaps).toBe(0);
      expect(violationsOf({ acknowledged, partitions: slow.found })).toEqual([]);
      await Promise.all([slowSubscription.close(), quickSubscription.close()]);
    });

    it('K2 delivers nothing more once a subscription is closed, and ends one alone whose reader throws', async () => {
      const closed = gather();
      const other = gather();
      const closing = log.follow({ [topic]: fromStart() }, closed.take);
      const following = log.follow({ [topic]: fromStart() }, other.take);
      const failing = log.follow({ [topic]: fromStart() }, () => {
        throw new Error('planted');
      });
      const failed = expect(failing.failed).rejects.toThrow('planted');
      await closing.close();
      const acknowledged = await appendCalls(20);
      await Promise.all([failed, other.until(recordsIn(acknowledged))]);
      expect(closed.found.flat()).toEqual([]);
      await following.close();
    });

    it('K2 never corrects a position that the log does not have', async () => {
      await appendCalls(5);
      const beyond = (await ends()).map((end) => end + 1);
      await expect(log.follow({ [topic]: beyond }, () => {}).failed).rejects.toMatchObject({ code: 'ERR_HISTORY_LOST' });
      await expect(readAll(beyond)).rejects.toMatchObject({ code: 'ERR_HISTORY_LOST' });
    });
  });
}
