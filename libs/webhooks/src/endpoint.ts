import type { WebhookEvent } from './webhook-event.js';

/** Somebody who is told. */
export interface Endpoint {
  readonly name: string;
  readonly url: string;
  /** The first one is the newest; at least one. */
  readonly secrets: readonly Buffer[];
  readonly events: ReadonlySet<WebhookEvent['type']>;
  /** Whose requests it hears of: those of turns of this tenant, of every tenant, or, when absent, of turns without one. */
  readonly tenantRef?: string;
}

export const EVERY_TENANT = '*';

/** Whether an endpoint is told of an event (N54, P1). */
export const hears = ({ events, tenantRef }: Endpoint, event: Pick<WebhookEvent, 'type' | 'tenantRef'>): boolean =>
  events.has(event.type) && (tenantRef === EVERY_TENANT || tenantRef === event.tenantRef);
