const SEED = 0x9747b28c;
const M = 0x5bd1e995;
const scratch = Buffer.allocUnsafeSlow(512);

/**
 * The partition of a key, exactly as Java's Kafka client has it (K5): `toPositive(murmur2(utf8(key))) % partitions`.
 * @param partitions at least 1
 */
export function partitionOf(key: string, partitions: number): number {
  if (key.length * 3 > scratch.length) return positive(Buffer.from(key)) % partitions;
  return positive(scratch.subarray(0, scratch.write(key))) % partitions;
}

function positive(bytes: Uint8Array): number {
  const { length } = bytes;
  let h = SEED ^ length;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    let k = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    k = Math.imul(k, M);
    k = Math.imul(k ^ (k >>> 24), M);
    h = Math.imul(h, M) ^ k;
  }
  let tail = 0;
  for (let at = length - 1; at >= i; at--) tail = (tail << 8) | bytes[at]!;
  if (i < length) h = Math.imul(h ^ tail, M);
  h = Math.imul(h ^ (h >>> 13), M);
  return (h ^ (h >>> 15)) & 0x7fffffff;
}
