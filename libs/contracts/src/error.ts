/**
 * The one error base of the product. `code` is stable and may be shown to anyone; `message` is written for a person
 * and never holds a caller's data (D22); `cause` is for log lines only.
 */
export class DoorledgerError extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}
