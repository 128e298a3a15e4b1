export { openPostgresWebhookStore } from './postgres-webhook-store.js';
