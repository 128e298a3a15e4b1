import { DoorledgerError } from '@doorledger/contracts';

/** Something is wrong with what is kept of webhooks, or with what was asked of it. */
export class WebhookError extends DoorledgerError {}
