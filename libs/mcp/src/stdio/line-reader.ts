const LF = 0x0a;
const ENDS = 256;

/**
 * Cuts a byte stream into lines of at most `max` bytes. A longer line is not kept: only its first and last 256 bytes are, so
 * that it can still be said whose answer it was (M6).
 */
export class LineReader {
  readonly #max: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: (head: string, tail: string) => void;
  #parts: Buffer[] = [];
  #length = 0;
  #head = '';
  #tail: Buffer = Buffer.alloc(0);
  #isTooLong = false;

  constructor(options: { max: number; onLine: (line: string) => void; onTooLong: (head: string, tail: string) => void }) {
    this.#max = options.max;
    this.#onLine = options.onLine;
    this.#onTooLong = options.onTooLong;
  }

  take(chunk: Buffer): void {
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(LF, from);
      this.#append(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) return;
      this.#end();
      from = end + 1;
    }
  }

  #append(part: Buffer): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (!this.#isTooLong) this.#parts.push(part);
    if (this.#length <= this.#max) return;
    if (!this.#isTooLong) {
      const kept = Buffer.concat(this.#parts);
      this.#head = kept.toString('utf8', 0, ENDS);
      this.#tail = Buffer.from(kept.subarray(-ENDS));
      this.#parts = [];
      this.#isTooLong = true;
    } else {
      this.#tail = Buffer.concat([this.#tail, part.subarray(-ENDS)]).subarray(-ENDS);
    }
  }

  #end(): void {
    const [parts, isTooLong, head, tail] = [this.#parts, this.#isTooLong, this.#head, this.#tail];
    this.#parts = [];
    this.#length = 0;
    this.#isTooLong = false;
    if (isTooLong) return this.#onTooLong(head, tail.toString('utf8'));
    const line = (parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts)).toString('utf8').trim();
    if (line !== '') this.#onLine(line);
  }
}
