import { TurnStreams } from './turn-streams.js';

/** A turn of one piece, from its beginning to its end. */
function ended(streams: TurnStreams, turnId: string, piece: string): void {
  const stream = streams.begin();
  stream.begins(turnId, { isVerified: false });
  stream.piece(piece);
  stream.end({ kind: 'complete', output: '', turnId });
}

it('D23 lets ended turns be read again only as long as they keep 32 Mi characters together, the newest ones', () => {
  const streams = new TurnStreams({ abandonedAfterMs: undefined, keptMs: 60_000 });
  const piece = 'x'.repeat(1_000_000);
  for (let i = 0; i < 100; i++) ended(streams, `turn-${i}`, piece);
  const readable = Array.from({ length: 100 }, (_, i) => i).filter((i) => streams.of(`turn-${i}`));
  expect(readable).toEqual(Array.from({ length: 33 }, (_, i) => 67 + i));
});

it('D23 keeps a running turn however much has ended meanwhile', () => {
  const streams = new TurnStreams({ abandonedAfterMs: undefined, keptMs: 60_000 });
  streams.begin().begins('running', { isVerified: false });
  for (let i = 0; i < 40; i++) ended(streams, `turn-${i}`, 'x'.repeat(1_000_000));
  expect([streams.of('running')?.turnId, streams.of('turn-0')]).toEqual(['running', undefined]);
});
