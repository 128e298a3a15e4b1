import { decode, type DecodedRecord } from '@doorledger/contracts';

/** A record as it lies on the log. */
export class StoredRecord {
  #decoded?: DecodedRecord;

  constructor(
    readonly topic: string,
    readonly partition: number,
    readonly offset: number,
    /** Log append time, ms since the Unix epoch. */
    readonly timestamp: number,
    /** Leader epoch on Kafka, count of writer starts on SQLite (L1). */
    readonly epoch: number,
    readonly key: string,
    readonly value: Uint8Array | null,
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** Parsed once, however many readers it has. */
  get decoded(): DecodedRecord {
    return (this.#decoded ??= decode(this));
  }
}
