import { DoorledgerError } from '@doorledger/contracts';

/** What a person has to look at, on the log itself: a restart would meet it again (K12, K13). */
const NAMED_STOPS = new Set(['ERR_BATCH_UNREADABLE', 'ERR_HISTORY_LOST', 'ERR_LOG_CORRUPT', 'ERR_FILE_TORN']);

/** What becomes of a running process whose parts fail for good. */
export class Fate {
  readonly problems: string[] = [];
  #onSealed!: (error: Error) => void;
  /** Rejects when the process is of no use any more, so that whoever watches it starts it anew; never resolves. */
  readonly isSealed = new Promise<never>((_, reject) => (this.#onSealed = reject));

  constructor() {
    this.isSealed.catch(() => {});
  }

  /** A named stop leaves the process up with red readiness; anything else ends it. */
  readingStopped(error: Error): void {
    const cause = named(error);
    const isNamed = cause instanceof DoorledgerError;
    this.problems.push(isNamed ? cause.message : 'reading the log has stopped');
    if (!isNamed || !NAMED_STOPS.has(cause.code)) this.#onSealed(cause);
  }
}

/** A reader wraps what its receiver threw. */
const named = (error: Error): Error => (!(error instanceof DoorledgerError) && error.cause instanceof Error ? error.cause : error);
