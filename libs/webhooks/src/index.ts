export { EVERY_TENANT, type Endpoint } from './endpoint.js';
export { WebhookError } from './errors.js';
export type { WebhookHooks } from './lane.js';
export { secretOf } from './signature.js';
export { openSqliteWebhookStore } from './sqlite/sqlite-webhook-store.js';
export type { WebhookEvent } from './webhook-event.js';
export type { DeadLetter, WebhookStore } from './webhook-store.js';
export { Webhooks, type EndpointStatus } from './webhooks.js';
