import type { EventOrigin } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';
import type { Logger } from '@doorledger/observability';
import { ConsentSweep, LostToolSessions, Sweep, type Decisions } from '@doorledger/turns';

export interface HostSweepsOptions {
  readonly hostId: string;
  readonly ledger: LedgerReader;
  readonly log: Pick<EventLog, 'append'>;
  readonly origin: EventOrigin;
  readonly decisions: Pick<Decisions, 'takeUp'>;
  readonly logger: Logger;
}

/** What a host looks after that nobody else would (L12, T40). */
export function hostSweeps({ decisions, logger, ...parts }: HostSweepsOptions): Sweep {
  const lost = new LostToolSessions(parts);
  const due = new ConsentSweep({
    ...parts,
    resume: (requestId, approved) => decisions.takeUp(requestId, approved),
    onError: (err) => logger.warn({ err }, 'A decided request could not be carried out.'),
  });
  return new Sweep({
    ...parts,
    also: () => Promise.all([lost.sweep(), due.sweep()]),
    onError: (err) => logger.warn({ err }, 'A sweep failed.'),
  });
}
