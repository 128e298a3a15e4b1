import type { Caller } from '../caller.js';
import { TurnStreams, type Frame } from './turn-streams.js';

const turnId = '00000000-0000-7000-8000-000000000001';
const ann: Caller = { isVerified: true, userRef: 'a'.repeat(32) };
const done = { kind: 'complete', output: 'x', turnId, position: 'p' } as const;

function reader() {
  const frames: Frame[] = [];
  let isEnded = false;
  return { frames, ended: () => isEnded, frame: (frame: Frame) => void frames.push(frame), end: () => void (isEnded = true) };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('D24 aborts a turn whose stream nobody reads for 30 s, and not one that its reader came back to', () => {
  const streams = new TurnStreams({ abandonedAfterMs: 30_000, keptMs: 60_000 });
  const stream = streams.begin();
  stream.begins(turnId, ann);
  const leave = stream.read(0, reader());
  if (!leave) throw new Error('was not read');
  leave();
  jest.advanceTimersByTime(29_000);
  const back = stream.read(0, reader());
  jest.advanceTimersByTime(60_000);
  expect(stream.signal.aborted).toBe(false);
  if (back) back();
  jest.advanceTimersByTime(29_999);
  expect(stream.signal.aborted).toBe(false);
  jest.advanceTimersByTime(1);
  expect(stream.signal.aborted).toBe(true);
});

it('D24 lets a turn go on to its end without a reader where the setting says so', () => {
  const stream = new TurnStreams({ abandonedAfterMs: undefined, keptMs: 60_000 }).begin();
  const leave = stream.read(0, reader());
  if (leave) leave();
  jest.advanceTimersByTime(24 * 3_600_000);
  expect(stream.signal.aborted).toBe(false);
});

it('D23 gives a reader that comes back every frame after the last one it saw, and the end', () => {
  const streams = new TurnStreams({ abandonedAfterMs: 30_000, keptMs: 60_000 });
  const stream = streams.begin();
  stream.begins(turnId, ann);
  stream.step(1);
  stream.piece('a');
  const first = reader();
  stream.read(0, first);
  stream.piece('b');
  stream.end(done);
  expect(first.frames.map(({ n, event }) => [n, event])).toEqual([
    [1, 'progress'],
    [2, 'chunk'],
    [3, 'chunk'],
    [4, 'complete'],
  ]);
  expect(first.ended()).toBe(true);
  const late = reader();
  streams.of(turnId)!.read(2, late);
  expect([late.frames.map(({ n }) => n), late.ended()]).toEqual([[3, 4], true]);
  jest.advanceTimersByTime(60_000);
  expect(streams.of(turnId)).toBeUndefined();
});

it('D23 keeps the last 1 MiB, and says so to who wants what is gone', () => {
  const stream = new TurnStreams({ abandonedAfterMs: 30_000, keptMs: 60_000 }).begin();
  for (let i = 0; i < 20; i++) stream.piece('x'.repeat(100_000));
  expect(stream.read(0, reader())).toBe(false);
  const rest = reader();
  expect(stream.read(10, rest)).not.toBe(false);
  expect(rest.frames.map(({ n }) => n)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
});

it('D23 is for the turn’s own caller only', () => {
  const stream = new TurnStreams({ abandonedAfterMs: 30_000, keptMs: 60_000 }).begin();
  stream.begins(turnId, ann);
  expect([stream.isOf(ann), stream.isOf({ isVerified: true, userRef: 'b'.repeat(32) }), stream.isOf({ isVerified: true })]).toEqual([
    true,
    false,
    false,
  ]);
});

/** A turn of one piece, from its beginning to its end. */
function endedTurn(streams: TurnStreams, turnId: string, piece: string): void {
  const stream = streams.begin();
  stream.begins(turnId, { isVerified: false });
  stream.piece(piece);
  stream.end({ kind: 'complete', output: '', turnId });
}

it('D23 lets ended turns be read again only as long as they keep 32 Mi characters together, the newest ones', () => {
  const streams = new TurnStreams({ abandonedAfterMs: undefined, keptMs: 60_000 });
  const piece = 'x'.repeat(1_000_000);
  for (let i = 0; i < 100; i++) endedTurn(streams, `turn-${i}`, piece);
  const readable = Array.from({ length: 100 }, (_, i) => i).filter((i) => streams.of(`turn-${i}`));
  expect(readable).toEqual(Array.from({ length: 33 }, (_, i) => 67 + i));
});

it('D23 keeps a running turn however much has ended meanwhile', () => {
  const streams = new TurnStreams({ abandonedAfterMs: undefined, keptMs: 60_000 });
  streams.begin().begins('running', { isVerified: false });
  for (let i = 0; i < 40; i++) endedTurn(streams, `turn-${i}`, 'x'.repeat(1_000_000));
  expect([streams.of('running')?.turnId, streams.of('turn-0')]).toEqual(['running', undefined]);
});
