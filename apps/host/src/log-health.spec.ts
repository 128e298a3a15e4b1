import { AppendRefusedError, type EventLog } from '@doorledger/event-log';
import { LogHealth } from './log-health.js';

type Log = Pick<EventLog, 'append' | 'ends'>;
const ends = async () => [{ start: 0, end: 0 }];
const append = async () => [];

it('E7 and D2 know within seconds that brokers hang, and that they are back', async () => {
  let now = 0;
  let answer!: () => void;
  const hanging: Log = { append, ends: () => new Promise((resolve) => (answer = () => resolve([]))) };
  const health = new LogHealth(hanging, () => now);
  const probe = health.probe();
  now = 4000;
  expect(health.down).toBeUndefined();
  now = 4001;
  expect(health.down).toBe('ERR_LOG_UNREACHABLE');
  await health.probe();
  answer();
  await probe;
  expect(health.down).toBeUndefined();
});

it('E7 knows that brokers are gone by the first question that fails', async () => {
  let isGone = true;
  const health = new LogHealth({ append, ends: async () => (isGone ? Promise.reject(new Error('gone')) : ends()) });
  await health.probe();
  expect(health.down).toBe('ERR_LOG_UNREACHABLE');
  isGone = false;
  await health.probe();
  expect(health.down).toBeUndefined();
});

it('E7 takes a refusal that every record would get for the log’s, and one of a record for its own', async () => {
  let code: string | undefined = 'ERR_DISK_FULL';
  const health = new LogHealth({ ends, append: async () => (code ? Promise.reject(new AppendRefusedError(code, 'refused')) : []) });
  await expect(health.append('t', [])).rejects.toThrow();
  expect(health.down).toBe('ERR_DISK_FULL');
  code = undefined;
  await health.append('t', []);
  expect(health.down).toBeUndefined();
  code = 'ERR_RECORD_TOO_LARGE';
  await expect(health.append('t', [])).rejects.toThrow();
  expect(health.down).toBeUndefined();
});
