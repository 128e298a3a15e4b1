import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { StoredRecord, type EventLog, type LogPositions } from '@doorledger/event-log';
import { FactFeed, type FeedFrame } from './fact-feed.js';
import { StreamReader } from './stream-reader.js';

/** A socket that takes nothing, or all at once. */
class Response extends EventEmitter {
  writableLength = 0;
  written = 0;
  isDestroyed = false;
  constructor(private readonly isStuck: boolean) {
    super();
  }
  write(text: string): boolean {
    this.written++;
    if (this.isStuck) this.writableLength += text.length;
    return !this.isStuck;
  }
  end(): void {
    this.emit('close');
  }
  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
}

const record = (offset: number) => new StoredRecord('t', 0, offset, 1, 1, 'k', JSON.stringify({ data: { text: 'x'.repeat(1000) } }), {});
const from: LogPositions = { t: [0] };

/** A log whose end is told by hand. */
function logWith(size: number) {
  let deliver: (batch: { topic: string; partition: number; records: StoredRecord[] }) => unknown = () => {};
  const reads: number[] = [];
  const log = {
    topics: new Map([['t', 1]]),
    ends: async () => [{ start: 0, end: size }],
    async *read(_: string, [at]: readonly number[]) {
      reads.push(at!);
      for (let offset = at!; offset < size; offset++) yield { topic: 't', partition: 0, records: [record(offset)] };
    },
    follow: (_: LogPositions, to: typeof deliver) => {
      deliver = to;
      return { failed: new Promise<never>(() => {}), close: async () => {} };
    },
  };
  const meet = async (offset: number) => void (await deliver({ topic: 't', partition: 0, records: [record(offset)] }));
  return { log: log as unknown as EventLog, meet, reads };
}

const readerOn = (log: EventLog, feed: FactFeed, response: Response, start = from) =>
  new StreamReader({
    log,
    feed,
    response: response as unknown as ServerResponse,
    from: start,
    wants: () => true,
    isLast: () => false,
  });

it('P2 drops a reader that takes nothing once its bound is reached, keeps nothing more for it, and goes on for the others', async () => {
  const { log, meet } = logWith(0);
  const feed = new FactFeed(log, ['t'], () => {});
  const [slow, quick] = [new Response(true), new Response(false)];
  const readers = [slow, quick].map((response) => readerOn(log, feed, response));
  await Promise.all(readers.map((reader) => reader.run()));
  for (let offset = 0; offset < 1000; offset++) await meet(offset);
  expect(slow.isDestroyed).toBe(true);
  expect(readers.map(({ wasDropped }) => wasDropped)).toEqual([true, false]);
  expect(slow.writableLength).toBeLessThan(256 * 1024 + 2000);
  expect(quick.written).toBe(1001);
  await feed.close();
});

it('P2 waits for a reader that catches up, and reads no further for it until it takes what it was given', async () => {
  const { log, reads } = logWith(500);
  const feed = new FactFeed(log, ['t'], () => {});
  const response = new Response(true);
  const running = readerOn(log, feed, response).run();
  await new Promise((resolve) => setImmediate(resolve));
  expect(response.written).toBe(2);
  for (let takes = 0; takes < 500; takes++) {
    response.writableLength = 0;
    response.emit('drain');
    await new Promise((resolve) => setImmediate(resolve));
  }
  await running;
  expect(response.written).toBe(501);
  expect(reads).toEqual([0]);
  await feed.close();
});

it('P2 gives a reader that comes what the feed still keeps, and sends it to the log for what it does not', async () => {
  const { log, meet } = logWith(0);
  const feed = new FactFeed(log, ['t'], () => {});
  const first = new Response(false);
  await readerOn(log, feed, first).run();
  const had: number[] = [];
  const reader = { frame: (frame: FeedFrame) => void had.push(frame.record.offset), end: () => {} };
  for (let offset = 0; offset < 5000; offset++) await meet(offset);
  expect(feed.join(reader, { t: [0] })).toBe(false);
  expect(feed.join(reader, { t: [4990] })).toBe(true);
  await meet(5000);
  expect(had).toEqual(Array.from({ length: 11 }, (_, i) => 4990 + i));
  await feed.close();
});
