import type { NewRecord, Position } from '../event-log.js';
import type { StoredRecord } from '../stored-record.js';

/** A call of `append` whose positions came back. */
export interface AcknowledgedCall {
  readonly call: string;
  readonly positions: readonly Omit<Position, 'topic'>[];
}

/** What appenders were told, and what the log holds: per partition, in the order read. */
export interface History {
  readonly acknowledged: readonly AcknowledgedCall[];
  readonly partitions: readonly (readonly StoredRecord[])[];
}

/** The records of one call, for one key. Each says which it is and of how many, and whether it is whole can be seen. */
export function recordsOfCall(call: string, count: number, key: string): NewRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    key,
    value: Buffer.from(textOf(call, index, count)),
    headers: { call, index: `${index}`, count: `${count}` },
  }));
}

const textOf = (call: string, index: number, count: number): string =>
  `${call} ${index}/${count} `.repeat(1 + ((call.length * 7 + index * 31) % 40));

/** Every way in which the log broke K1, K2, K3 or K5, in words; empty when it kept them. */
export function violationsOf({ acknowledged, partitions }: History): string[] {
  const violations: string[] = [];
  const places = new Map<string, string>();
  const partitionByKey = new Map<string, number>();
  for (const [partition, records] of partitions.entries()) {
    for (const [i, record] of records.entries()) {
      const { call, index, count } = record.headers;
      const name = `${call} ${index}/${count}`;
      const place = `${partition}:${record.offset}`;
      if (record.offset !== i) violations.push(`${place} stands where offset ${i} should`);
      if (Buffer.from(record.value ?? []).toString() !== textOf(call!, Number(index), Number(count)))
        violations.push(`${place} is not whole`);
      if (places.has(name)) violations.push(`${name} is at ${places.get(name)} and at ${place}`);
      places.set(name, place);
      if ((partitionByKey.get(record.key) ?? partition) !== partition) violations.push(`${record.key} is in two partitions`);
      partitionByKey.set(record.key, partition);
      const next = records[i + 1]?.headers;
      const isLast = Number(index) + 1 === Number(count);
      if (!isLast && !(next?.call === call && Number(next?.index) === Number(index) + 1))
        violations.push(`${name} is not followed by the rest of its call`);
      if (Number(index) > 0 && records[i - 1]?.headers.call !== call) violations.push(`${name} does not follow the rest of its call`);
    }
  }
  for (const { call, positions } of acknowledged) {
    for (const [index, { partition, offset }] of positions.entries()) {
      const name = `${call} ${index}/${positions.length}`;
      const place = places.get(name);
      if (place !== `${partition}:${offset}`)
        violations.push(`${name} was acknowledged at ${partition}:${offset} and is ${place ? `at ${place}` : 'lost'}`);
    }
  }
  return violations;
}
