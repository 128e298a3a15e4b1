import { encode, eventOf, topics, type AnyFactEvent, type EventOrigin } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';

export interface LostToolSessionsOptions {
  readonly ledger: Pick<LedgerReader, 'lostToolSessions'>;
  readonly log: Pick<EventLog, 'append'>;
  readonly origin: EventOrigin;
}

const AT_ONCE = 100;

/**
 * T40: closes what a host left open that is gone. A claim about the host, by the log's own time, and no measurement of the far side: the
 * first close of a tool session stands, so that two hosts may say it.
 */
export class LostToolSessions {
  readonly #options: LostToolSessionsOptions;
  /** Closed by this host, and still open in the ledger: it has not read that far. */
  #closed: ReadonlySet<string> = new Set();

  constructor(options: LostToolSessionsOptions) {
    this.#options = options;
  }

  /** Resolves with how many were closed. Where nothing is due it is one query. */
  async sweep(): Promise<number> {
    const { ledger, log, origin } = this.#options;
    const due = await ledger.lostToolSessions(AT_ONCE);
    const open = due.filter(({ toolSessionId }) => !this.#closed.has(toolSessionId));
    if (open.length > 0)
      await log.append(
        topics.toolSession.name,
        open.map((lost) => ({
          key: lost.keyHash,
          ...encode(eventOf({ type: 'tool-session.closed', data: { ...lost, reason: 'host-lost', cleanupMs: 0 } }, origin)),
        })),
      );
    this.#closed = new Set(due.map(({ toolSessionId }) => toolSessionId));
    return open.length;
  }
}

/**
 * The tool session of this very life of a host that somebody has given up for lost (T40): it is torn down before any further use.
 * Undefined for any other fact.
 */
export function givenUpHere(event: AnyFactEvent, life: { readonly hostId: string; readonly bootId: string }): string | undefined {
  if (event.type !== 'tool-session.closed' || event.data.reason !== 'host-lost') return undefined;
  const { hostId, bootId, toolSessionId } = event.data;
  return hostId === life.hostId && bootId === life.bootId ? toolSessionId : undefined;
}
