import { dataSchemaOf, type Fact, type FactEvent, type FactType } from '@doorledger/contracts';
import type { Effect, StoredRecord } from '@doorledger/event-log';
import type { RowChanges } from '../row-changes.js';
import type { JudgedRecord } from './judged-record.js';

/** What the public feed of consents is told of a record that stands (V5): never truth, and under the id of the record it is made of. */
export function tellConsentFeed({ record, event, verdict }: JudgedRecord, effects: readonly Effect[], changes: RowChanges): void {
  const { partition, offset } = record;
  const of = { partition, offset };
  if (verdict.stands && event?.type === 'consent.minted') {
    const { runId: _run, ledger: _ledger, ...data } = event.data;
    changes.tell(derived(record, { type: 'consent.requested', data: { ...data, of } }));
  }
  for (const effect of effects) {
    if (effect.kind === 'request-void')
      changes.tell(derived(record, { type: 'consent.settled', data: { requestId: effect.requestId, verdict: 'void', of } }));
    if (effect.kind !== 'request-settled') continue;
    const { requestId, verdict: settled } = effect;
    const { by, reason } = settledBy(event);
    const data = { requestId, verdict: settled, ...(by !== undefined && { by }), ...(reason !== undefined && { reason }), of };
    changes.tell(derived(record, { type: 'consent.settled', data }));
  }
}

function settledBy(event: JudgedRecord['event']): { readonly by?: string; readonly reason?: string } {
  return event?.type === 'consent.spent' || event?.type === 'session.closed' ? event.data : {};
}

/** The headers say all of the source's attributes even where its body cannot be read (L8). */
function derived<T extends FactType>({ headers }: StoredRecord, { type, data }: Fact<T>): FactEvent {
  const { ce_id: id = '', ce_source: source = '', ce_time: time = '', ce_traceparent: traceparent } = headers;
  return {
    specversion: '1.0',
    id,
    source,
    type,
    time,
    subject: (data as { readonly requestId: string }).requestId,
    datacontenttype: 'application/json',
    dataschema: dataSchemaOf(type),
    ...(traceparent && { traceparent }),
    data,
  };
}
