import { setTimeout as sleep } from 'node:timers/promises';
import { DoorledgerError } from '@doorledger/contracts';
import type { BrokerLink } from './broker-link.js';
import { brokerError } from './broker-errors.js';
import type { ClusterView } from './cluster-view.js';
import { timeoutsOf } from './kafka-options.js';
import { forbidden, LogUnreachableError } from './log-unreachable.js';

/** A partition's leader does not lead it, or cannot say: ask again after new metadata. */
export class LeaderMovedError extends Error {
  constructor(readonly errorCode?: number) {
    super(`the leader moved or cannot answer yet (${errorCode ?? 'no leader'})`);
  }
}

/**
 * Runs short requests against the leaders until one attempt succeeds as a whole.
 * @throws LogUnreachableError when none did in time, LogRefusedError `ERR_LOG_FORBIDDEN`, and what an attempt refuses
 */
export async function untilAnswered<T>(view: ClusterView, topic: string, attempt: () => Promise<T>): Promise<T> {
  const end = performance.now() + timeoutsOf(view.options).read;
  for (let pause = 20; ; pause = Math.min(pause * 2, 250)) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof LeaderMovedError && error.errorCode === brokerError.topicAuthorizationFailed) throw forbidden(topic, error);
      if (error instanceof DoorledgerError) throw error;
      if (view.isClosed || performance.now() > end) throw new LogUnreachableError(topic, error);
      await Promise.all([view.refresh(), sleep(pause)]);
    }
  }
}

/** Runs one request on the shared connection to a node; the connection is thrown away if that fails. */
export async function onNode<T>(view: ClusterView, nodeId: number, request: (link: BrokerLink) => Promise<T>): Promise<T> {
  try {
    return await request(await view.link(nodeId));
  } catch (error) {
    view.dropLink(nodeId);
    throw error;
  }
}
