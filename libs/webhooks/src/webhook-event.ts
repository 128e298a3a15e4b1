import { createHash } from 'node:crypto';
import type { ConsentNews } from '@doorledger/ledger';

export const EVENT_TYPES = ['consent.waiting', 'consent.settled', 'consent.outcome'] as const;

/** One thing to tell, the same for every endpoint that hears of it. */
export interface WebhookEvent {
  /** The same however often it is told, so that receivers can pass over copies. */
  readonly id: string;
  readonly type: (typeof EVENT_TYPES)[number];
  readonly requestId: string;
  readonly tenantRef?: string;
  /** JSON `{type, timestamp, data}`; see docs/webhooks.md. */
  readonly body: string;
}

/**
 * What the ledger API shows of a request to those who may decide it, and a link to where they do. It has no arguments: whoever reads those
 * has to be known, and each such read is a fact (P4), which an address is not and has not. `link` may hold `{requestId}` and `{turnId}`.
 */
export function webhookEventOf({ kind, at, consent, tenantRef }: ConsentNews, link?: string): WebhookEvent {
  const { requestId, turnId = '' } = consent;
  const type = `consent.${kind}` as const;
  const filled = link?.replaceAll('{requestId}', requestId).replaceAll('{turnId}', turnId);
  const data = { ...consent, ...(filled !== undefined && { link: filled }) };
  return {
    id: `msg_${createHash('sha256').update(JSON.stringify(nameOf())).digest('hex').slice(0, 32)}`,
    type,
    requestId,
    ...(tenantRef !== undefined && { tenantRef }),
    body: JSON.stringify({ type, timestamp: new Date(at).toISOString(), data }),
  };

  /** A request waits once and is settled once; its call can come to several outcomes. */
  function nameOf(): readonly (string | number)[] {
    return kind === 'outcome' ? [type, requestId, consent.became.state, at] : [type, requestId];
  }
}
