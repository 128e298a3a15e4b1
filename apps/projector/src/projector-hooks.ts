import type { ProjectorOptions } from '@doorledger/ledger';
import type { Logger } from '@doorledger/observability';

/** What a projector tells the people who run it. */
export const hooksOf = (logger: Logger): Pick<ProjectorOptions, 'onFault' | 'onOutage'> => ({
  onFault: (fault) => logger.error({ err: fault.error }, 'A bug stopped the projection of a partition.'),
  onOutage: (err) => logger.warn({ err }, 'The ledger does not answer; its projector waits.'),
});
