import { setTimeout as sleep } from 'node:timers/promises';
import { topics } from '@doorledger/contracts';
import type { EventLog, StoredRecord, Subscription } from '@doorledger/event-log';
import type { LoggedRecord, RecordData } from './found-on-log.js';
import { SessionFold } from './session-fold.js';

const session = topics.session.name;

/** Folds the session topic as it grows, and tells of records as they come. */
export class LiveFold {
  readonly fold = new SessionFold();
  readonly #watchers = new Set<(record: LoggedRecord) => void>();
  readonly #following: Subscription;

  /** @param log stays the caller's */
  constructor(log: EventLog) {
    this.#following = log.follow({ [session]: Array<number>(log.topics.get(session)!).fill(0) }, ({ records }) => {
      for (const record of records) this.#see(readLogged(record));
    });
  }

  /** Calls `then` at the `nth` record to come that fits, before anything else happens; resolves when it did, or at the abort. */
  async at(nth: number, fits: (record: LoggedRecord) => boolean, then: () => void, signal: AbortSignal): Promise<void> {
    let met = 0;
    await new Promise<void>((resolve) => {
      const over = () => {
        this.#watchers.delete(watcher);
        signal.removeEventListener('abort', over);
        resolve();
      };
      const watcher = (record: LoggedRecord) => {
        if (!fits(record) || ++met < nth) return;
        then();
        over();
      };
      signal.addEventListener('abort', over);
      this.#watchers.add(watcher);
    });
  }

  /** Resolves when no run stands any more, or after so long. @throws when the log could not be followed */
  async allOver(limitMs: number): Promise<void> {
    const over = async () => {
      for (const end = Date.now() + limitMs; this.fold.standing > 0 && Date.now() < end;) await sleep(200);
    };
    await Promise.race([this.#following.failed, over()]);
  }

  close(): Promise<void> {
    return this.#following.close();
  }

  #see(record: LoggedRecord): void {
    this.fold.see(record);
    for (const watcher of this.#watchers) watcher(record);
  }
}

/** Folds the session topic to its end. */
export async function foldAll(log: EventLog): Promise<SessionFold> {
  const fold = new SessionFold();
  for await (const { records } of log.read(session, Array<number>(log.topics.get(session)!).fill(0)))
    for (const record of records) fold.see(readLogged(record));
  return fold;
}

function readLogged({ partition, offset, timestamp, epoch, key, value, headers }: StoredRecord): LoggedRecord {
  const { data } = JSON.parse(Buffer.from(value!).toString('utf8')) as { data: RecordData };
  return { partition, offset, timestamp, epoch, key, type: headers.ce_type, data };
}
