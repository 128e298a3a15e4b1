import { DoorledgerError } from '@doorledger/contracts';
import { errorLine } from '@doorledger/observability';

/** What one look found. */
export interface Finding {
  /** What was looked at: a word or two. */
  readonly about: string;
  readonly isWell: boolean;
  readonly says: string;
  /** Of the refusal that a start, or a reader, would meet. */
  readonly code?: string;
  /** What to do about it. */
  readonly mend?: string;
}

export const well = (about: string, says: string): Finding => ({ about, isWell: true, says });

export const wrong = (about: string, says: string, mend: string, code?: string): Finding => ({
  about,
  isWell: false,
  says,
  mend,
  ...(code !== undefined && { code }),
});

/** What a look threw: our own errors say what mends them; of another one nothing is told but its class. */
export function thrown(about: string, error: unknown): Finding {
  if (error instanceof DoorledgerError) return wrong(about, error.message, `docs/runbook.md, section ${error.code}.`, error.code);
  const { class: name, code } = errorLine(error, false);
  return wrong(
    about,
    `It could not be looked at (${code ?? name}).`,
    'Run it again with --logging-level debug, and as the user of the processes.',
  );
}
