import { createHash } from 'node:crypto';
import type { StoredRecord } from '@doorledger/event-log';
import type { Violation } from './history.js';
import type { DumpedRecord } from './second-reader.js';

type Content = Pick<DumpedRecord, 'timestamp' | 'epoch' | 'key' | 'value' | 'headers'>;

const MOST = 5;

/** Compares what two readers made of a log, record by record and byte by byte, and keeps a hash of each only. */
export class TwoReadings {
  readonly #first = new Map<string, string>();
  readonly #violations: Violation[] = [];
  #differences = 0;

  seeFirst({ topic, partition, offset, timestamp, epoch, key, value, headers }: StoredRecord): void {
    const text = Buffer.from(value ?? []).toString('utf8');
    this.#first.set(`${topic}/${partition}/${offset}`, hashOf({ timestamp, epoch, key, value: text, headers }));
  }

  seeSecond(record: DumpedRecord): void {
    const place = `${record.topic}/${record.partition}/${record.offset}`;
    const first = this.#first.get(place);
    if (first === undefined) this.#tell(`a second reader finds a record at ${place} that the own reader did not give`);
    else if (first !== hashOf(record)) this.#tell(`the own reader and a second one differ at ${place}`);
    this.#first.delete(place);
  }

  judge(): Violation[] {
    for (const place of this.#first.keys()) this.#tell(`a second reader does not find the record at ${place}`);
    if (this.#differences > MOST) this.#violations.push({ rule: 'K2', what: `the readers differ at ${this.#differences} places in all` });
    return this.#violations;
  }

  #tell(what: string): void {
    if (this.#differences++ < MOST) this.#violations.push({ rule: 'K2', what });
  }
}

const hashOf = ({ timestamp, epoch, key, value, headers }: Content): string =>
  createHash('sha1')
    .update(JSON.stringify([timestamp, epoch, key, value, headers]))
    .digest('base64');

/** What the fold of the product and the second one say differently. */
export function foldsDiffer(ours: ReadonlyMap<string, string>, second: ReadonlyMap<string, string>): Violation[] {
  const found: Violation[] = [];
  for (const turnId of new Set([...ours.keys(), ...second.keys()])) {
    const [a, b] = [ours.get(turnId), second.get(turnId)];
    if (a !== b)
      found.push({ rule: 'L7', what: `turn ${turnId} is ${a ?? 'not there'} by the fold and ${b ?? 'not there'} by a second one` });
  }
  return found;
}
