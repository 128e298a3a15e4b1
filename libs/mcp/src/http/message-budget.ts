const LF = 0x0a;

/**
 * Bounds the bytes of one message (M6). An event stream is many messages: its count begins anew after each blank line, so a
 * long call with much progress is not a large answer.
 */
export class MessageBudget {
  readonly #max: number;
  readonly #isStream: boolean;
  #taken = 0;
  #endsInLineFeed = false;

  constructor(max: number, isStream: boolean) {
    this.#max = max;
    this.#isStream = isStream;
  }

  /** False: the message has become too large. */
  take(chunk: Buffer): boolean {
    const fresh = this.#isStream ? this.#afterLastEvent(chunk) : -1;
    this.#taken = fresh === -1 ? this.#taken + chunk.length : chunk.length - fresh;
    this.#endsInLineFeed = chunk[chunk.length - 1] === LF;
    return this.#taken <= this.#max;
  }

  #afterLastEvent(chunk: Buffer): number {
    const at = Math.max(chunk.lastIndexOf('\n\n') + 2, chunk.lastIndexOf('\n\r\n') + 3);
    if (at > 2) return at;
    return this.#endsInLineFeed && chunk[0] === LF ? 1 : -1;
  }
}
