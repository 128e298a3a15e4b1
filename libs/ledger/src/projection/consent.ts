import type { Effect } from '@doorledger/event-log';
import type { RowChanges } from '../row-changes.js';
import { voidReason, type JudgedRecord } from './judged-record.js';

/** Requests for consent and how they were settled. */
export function projectConsent({ record, event, verdict, tenantRef }: JudgedRecord, effects: readonly Effect[], changes: RowChanges): void {
  const { key, timestamp } = record;
  if (verdict.stands && event?.type === 'consent.minted') {
    const { data } = event;
    changes.put('consent', {
      request_id: data.requestId,
      session_key: key,
      turn_id: data.turnId,
      run_id: data.runId,
      call_id: data.callId,
      gate: data.gate,
      server: data.server,
      tool: data.tool,
      tool_hash: data.toolHash,
      rule: data.rule ?? null,
      ledger: data.ledger,
      party_ref: data.partyRef,
      tenant_ref: tenantRef,
      quorum: data.quorum ?? null,
      grant_id: data.grant ?? null,
      decide_by: data.decideBy ?? null,
      spend_by: data.spendBy ?? null,
      replaces: data.replaces ?? null,
      minted_at: timestamp,
    });
  }
  for (const effect of effects) {
    switch (effect.kind) {
      case 'request-pending':
        changes.put('consent', {
          request_id: effect.requestId,
          session_key: key,
          turn_id: effect.turnId,
          call_id: effect.callId,
          status: 'pending',
        });
        break;
      case 'request-void':
        changes.put('consent', { request_id: effect.requestId, session_key: key, status: 'void' });
        break;
      case 'request-settled': {
        const spend = event?.type === 'consent.spent' ? event.data : undefined;
        const closed = event?.type === 'session.closed' ? event.data : undefined;
        changes.put('consent', {
          request_id: effect.requestId,
          session_key: key,
          status: effect.verdict,
          settled_at: timestamp,
          settled_with: effect.by,
          claim_id: effect.claimId ?? null,
          settled_by: (effect.by === 'spend' ? spend?.by : closed?.by) ?? null,
          reason: (effect.by === 'spend' ? spend?.reason : closed?.reason) ?? null,
        });
        break;
      }
      case 'spent-not-run':
        changes.put('consent', { request_id: effect.requestId, session_key: key, not_run_at: timestamp });
        break;
      default:
    }
  }
}

/** Void votes and spends stay visible as attempts (design §3). */
export function recordAttempt({ record, event, verdict }: JudgedRecord, changes: RowChanges): void {
  const { type, subject } = record.decoded;
  if (type !== 'consent.voted' && type !== 'consent.spent') return;
  const vote = event?.type === 'consent.voted' ? event.data : undefined;
  const spend = event?.type === 'consent.spent' ? event.data : undefined;
  changes.append('consent_attempt', {
    partition: record.partition,
    offset: record.offset,
    session_key: record.key,
    request_id: subject ?? null,
    kind: type === 'consent.voted' ? 'voted' : 'spent',
    verdict: vote ? (vote.approved ? 'approved' : 'declined') : (spend?.verdict ?? null),
    by: (vote ?? spend)?.by ?? null,
    claim_id: spend?.claimId ?? null,
    stands: verdict.stands ? 1 : 0,
    void_reason: voidReason(verdict),
    at: record.timestamp,
  });
}
