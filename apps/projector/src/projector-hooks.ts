import type { ProjectorOptions } from '@doorledger/ledger';
import type { Logger } from '@doorledger/observability';
import type { ProjectionOptions } from './projection.js';

/** What a projector tells the people who run it. */
export const hooksOf = (logger: Logger): Pick<ProjectorOptions, 'onFault' | 'onOutage'> => ({
  onFault: (fault) => logger.error({ err: fault.error }, 'A bug stopped the projection of a partition.'),
  onOutage: (err) => logger.warn({ err }, 'The ledger does not answer; its projector waits.'),
});

/** For a projector that may write the log: it writes the public feeds (V5). */
export const feedHooksOf = (logger: Logger): Pick<ProjectionOptions, 'onFeedRefused'> => ({
  onFeedRefused: (err) =>
    logger.error({ err }, 'The log refused facts of the feed of consents: they are left out. Give the projector the right to write it.'),
});
