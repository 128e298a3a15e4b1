import { DoorledgerError } from '@doorledger/contracts';

/** The deployment key is missing, unreadable, open to others, or not the one these files were written under. */
export class DeploymentKeyError extends DoorledgerError {}

/** Private content cannot be read: its key is gone, or the ciphertext is not what was sealed. Never quotes content. */
export class ContentError extends DoorledgerError {}
