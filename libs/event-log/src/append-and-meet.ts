import { appendUntilDurable } from './append-until-durable.js';
import type { EventLog, NewRecord } from './event-log.js';

/** Not met in time: whether the record is on the log is unknown, and it may still come to be. */
export class NotMetError extends Error {}

/** The own tail's meeting with one record. `forget` stops waiting for it. */
export interface Meeting<T> {
  readonly met: Promise<T>;
  forget(): void;
}

export interface AppendToMeet<T> {
  readonly log: Pick<EventLog, 'append'>;
  readonly topic: string;
  readonly record: NewRecord;
  readonly meeting: Meeting<T>;
  /** How long to wait until the own tail meets it, ms. */
  readonly timeoutMs: number;
}

/**
 * Appends a record, under its one event id for as often as it takes, and resolves to what the own tail's meeting with it says (L7): an
 * acknowledgement is no answer.
 * @throws AppendRefusedError: nothing of it is on the log and nothing ever will be; NotMetError past the time limit
 */
export async function appendAndMeet<T>({ log, topic, record, meeting, timeoutMs }: AppendToMeet<T>): Promise<T> {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotMetError('The own tail did not meet the record in time.')), timeoutMs);
  });
  const appended = appendUntilDurable(log, topic, [record], () => isOver).then(() => meeting.met);
  try {
    return await Promise.race([meeting.met, appended, late]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    meeting.forget();
    // Either may fail after the other has answered.
    appended.catch(() => {});
    late.catch(() => {});
  }
}
