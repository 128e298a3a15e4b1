import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { partitionOf } from './partition.js';

/** kafkajs's own partitioner, which follows Java's client. */
function kafkaPartition(key: string, partitions: number): number {
  const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
    partitionErrorCode: 0,
    partitionId,
    leader: 0,
    replicas: [],
    isr: [],
  }));
  return Partitioners.DefaultPartitioner()({ topic: 'any', partitionMetadata, message: { key, value: '' } });
}

it('K5 puts a key where the default partitioner of a Kafka client puts it', () => {
  const key = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.uuid(),
    fc.string({ unit: 'binary', minLength: 300, maxLength: 700 }),
  );
  fc.assert(
    fc.property(key, fc.integer({ min: 1, max: 100 }), (text, partitions) => {
      expect(partitionOf(text, partitions)).toBe(kafkaPartition(text, partitions));
    }),
    { numRuns: 2_000 },
  );
});

it("K5 gives the hashes of Kafka's own test of murmur2", () => {
  const MANY = 0x7fffffff;
  const vectors: [string, number][] = [
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ];
  for (const [key, hash] of vectors) expect(partitionOf(key, MANY)).toBe((hash & 0x7fffffff) % MANY);
});
