import { LogRefusedError, LogTail, type RecordBatch } from './index.js';
import { MemoryLog } from './testing/memory-log.js';

const record = (key: string) => ({ key, value: Buffer.from('{}'), headers: {} });

function tailOf(log: MemoryLog, deliver: (batch: RecordBatch) => void | Promise<void> = () => {}) {
  const problems: { error: Error; stopped: boolean }[] = [];
  const tail = new LogTail({ log, from: { t: [0, 0] }, deliver, watchMs: 5, onProblem: (p) => problems.push(p) });
  return { tail, problems };
}

it('K2 yields every record once and in order, and knows how far it is', async () => {
  const log = new MemoryLog({ t: 2 });
  const seen: string[] = [];
  const { tail } = tailOf(log, ({ partition, records }) => void seen.push(...records.map((r) => `${partition}:${r.offset}`)));
  await log.append('t', [record('a')]);
  tail.start();
  await log.append('t', [record('a'), record('b')]);
  expect(await tail.catchUp(1000)).toBe(true);
  expect(seen).toHaveLength(3);
  expect(new Set(seen).size).toBe(3);
  for (const partition of ['0', '1']) {
    const offsets = seen.filter((s) => s.startsWith(partition)).map((s) => Number(s.slice(2)));
    expect(offsets).toEqual(offsets.map((_, i) => i));
    expect(tail.applied.t![Number(partition)]).toBe(offsets.length);
  }
  await tail.close();
});

it('K9 is rebuilt by its watchdog when it stops moving while the log grows, and skips nothing', async () => {
  const log = new MemoryLog({ t: 2 });
  let count = 0;
  const { tail, problems } = tailOf(log, ({ records }) => void (count += records.length));
  log.stalled = true;
  tail.start();
  await log.append('t', [record('a'), record('b')]);
  const moved = tail.catchUp(5000);
  const rebuilt = new Promise<void>((resolve) => {
    const poll = setInterval(() => {
      if (tail.rebuilds === 0) return;
      clearInterval(poll);
      log.stalled = false;
      resolve();
    }, 1);
  });
  await rebuilt;
  expect(await moved).toBe(true);
  expect(count).toBe(2);
  expect(problems[0]).toMatchObject({ stopped: false });
  await tail.close();
});

it('K9 is not rebuilt while its receiver is at work, however long that takes', async () => {
  const log = new MemoryLog({ t: 2 });
  let release!: () => void;
  const slow = new Promise<void>((resolve) => (release = resolve));
  const { tail } = tailOf(log, () => slow);
  tail.start();
  await log.append('t', [record('a')]);
  await log.append('t', [record('a')]);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(tail.rebuilds).toBe(0);
  release();
  expect(await tail.catchUp(1000)).toBe(true);
  await tail.close();
});

it('K12 stops for good when its receiver fails or history is lost, and says so', async () => {
  const log = new MemoryLog({ t: 2 });
  const { tail, problems } = tailOf(log, () => {
    throw new LogRefusedError('ERR_HISTORY_LOST', 'gone');
  });
  tail.start();
  await log.append('t', [record('a')]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(tail.stoppedBy).toBeDefined();
  expect(problems).toEqual([expect.objectContaining({ stopped: true })]);
  expect(await tail.reach({ topic: 't', partition: 0, offset: 0 }, 1)).toBe(false);
  await tail.close();
});
