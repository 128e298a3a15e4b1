import { decode, HeadersJson, type DecodedRecord, type RecordContent } from '@doorledger/contracts';

/** A record as it lies on the log. */
export class StoredRecord {
  readonly #value: RecordContent['value'];
  readonly #headers: RecordContent['headers'];
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
    /** Text stands for its UTF-8 bytes. */
    value: RecordContent['value'],
    headers: RecordContent['headers'],
  ) {
    this.#value = value;
    this.#headers = headers;
  }

  get value(): Uint8Array | null {
    return typeof this.#value === 'string' ? Buffer.from(this.#value) : this.#value;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#headers instanceof HeadersJson ? this.#headers.all : this.#headers;
  }

  /** Parsed once, however many readers it has. */
  get decoded(): DecodedRecord {
    return (this.#decoded ??= decode({ value: this.#value, headers: this.#headers }));
  }
}
