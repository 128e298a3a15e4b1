import { randomBytes } from 'node:crypto';

/** What a caller is shown in place of an uncoded error's text, and what the log line of that error carries (D22). 12 hex digits. */
export const referenceId = (): string => randomBytes(6).toString('hex');
