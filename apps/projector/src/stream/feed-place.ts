import type { LogPositions } from '@doorledger/event-log';

const VERSION = 1;

/**
 * Where a reader of several topics is: the next offset of every partition, as the id of an SSE frame. Base64url of LEB128 numbers: a version,
 * the number of partitions, then their offsets in the order of `topics`.
 */
export function writePlace(topics: readonly string[], positions: LogPositions): string {
  const offsets = topics.flatMap((topic) => positions[topic]!);
  const bytes: number[] = [];
  for (const number of [VERSION, offsets.length, ...offsets]) {
    let rest = number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString('base64url');
}

/** Undefined for what `writePlace` never wrote for topics of these partition counts. */
export function readPlace(topics: ReadonlyMap<string, number>, text: string): LogPositions | undefined {
  const numbers = numbersIn(Buffer.from(text, 'base64url'));
  const partitions = [...topics.values()].reduce((sum, count) => sum + count, 0);
  if (numbers?.[0] !== VERSION || numbers[1] !== partitions || numbers.length !== partitions + 2) return undefined;
  let at = 2;
  return Object.fromEntries([...topics].map(([topic, count]) => [topic, numbers.slice(at, (at += count))]));
}

function numbersIn(bytes: Uint8Array): number[] | undefined {
  const numbers: number[] = [];
  let value = 0;
  let unit = 1;
  for (const byte of bytes) {
    value += (byte % 128) * unit;
    if (!Number.isSafeInteger(value)) return undefined;
    unit *= 128;
    if (byte >= 128) continue;
    numbers.push(value);
    [value, unit] = [0, 1];
  }
  return unit === 1 ? numbers : undefined;
}
