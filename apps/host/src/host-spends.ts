import { topics, type EventOrigin } from '@doorledger/contracts';
import { DecisionLedger, DecisionView, type EventLog, type LogTail, type RecordBatch } from '@doorledger/event-log';
import type { LedgerPositions, LedgerReader } from '@doorledger/ledger';

export interface HostSpendsOptions {
  readonly places: LedgerPositions;
  readonly ledger: Pick<LedgerReader, 'decision'>;
  /** As the host's health sees it. */
  readonly log: Pick<EventLog, 'append'>;
  readonly records: Pick<EventLog, 'ends'>;
  readonly origin: EventOrigin;
  readonly reach: LogTail['reach'];
}

/** Other people's ledgers in a host's life (N40). */
export class HostSpends {
  readonly decisions: DecisionLedger;
  readonly #view: DecisionView;

  constructor({ places, ledger, log, records, origin, reach }: HostSpendsOptions) {
    this.#view = new DecisionView({ row: (key) => ledger.decision(key), from: places.positions[topics.spend.name]! });
    this.decisions = new DecisionLedger({ log, ends: (topic) => records.ends(topic), view: this.#view, origin, reach });
  }

  get isBehind(): boolean {
    return this.#view.isBehind;
  }

  met(batch: RecordBatch): void {
    this.#view.apply(batch);
  }

  projected(topic: string, partition: number, next: number): void {
    if (topic === topics.spend.name) this.#view.projected(partition, next);
  }
}
