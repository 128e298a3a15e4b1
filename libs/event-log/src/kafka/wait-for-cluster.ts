import { setTimeout as sleep } from 'node:timers/promises';
import { LogRefusedError } from '../errors.js';
import { ClusterView } from './cluster-view.js';
import type { KafkaConnectionOptions } from './kafka-options.js';
import { loginRefused } from './login-refused.js';
import { judgeTopics, type TopicsOptions } from './topics-admin.js';
import { judgeTls, tlsRefused } from './tls-refused.js';
import type { JudgeOptions, TopicProblem } from './topic-settings.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

export interface WaitOptions {
  readonly connection: KafkaConnectionOptions;
  readonly topics: ReadonlyMap<string, number>;
  readonly dev: boolean;
  readonly timestamps?: JudgeOptions['timestamps'];
  /** Told in a sentence what is missing, whenever that changes. */
  readonly onWaiting?: (missing: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Waits for a cluster that is not there yet (K15), as long as it takes, and judges its topics (K13).
 * @throws LogRefusedError `ERR_TOPIC_SETTINGS`, `ERR_LOG_LOGIN`, `ERR_LOG_TLS`, `ERR_LOG_FORBIDDEN`; the signal's reason once it is aborted
 */
export async function waitForCluster({ connection, topics, dev, timestamps, onWaiting, signal }: WaitOptions): Promise<ClusterView> {
  judgeTls(connection);
  let told: string | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted();
    try {
      return await openJudged({ connection, topics, dev, timestamps });
    } catch (error) {
      if (error instanceof LogRefusedError) throw error;
      const refusal = loginRefused(error) ?? tlsRefused(error);
      if (refusal) throw refusal;
      const missing = sentenceOf(connection, error);
      if (missing !== told) onWaiting?.((told = missing));
    }
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

async function openJudged(options: TopicsOptions): Promise<ClusterView> {
  const view = await ClusterView.open(options.connection, [...options.topics.keys()]);
  try {
    const problems = await judgeTopics(options);
    if (problems.length > 0) throw topicSettings(problems);
    return view;
  } catch (error) {
    view.close();
    throw error;
  }
}

function topicSettings(problems: readonly TopicProblem[]): LogRefusedError {
  const sentences = problems.map(
    ({ topic, setting, found, wanted, mend }) => `${topic}: ${setting} is ${found}, wanted ${wanted} (mend: ${mend})`,
  );
  return new LogRefusedError('ERR_TOPIC_SETTINGS', `The topics are not as the log needs them. ${sentences.join('; ')}.`);
}

function sentenceOf({ brokers }: KafkaConnectionOptions, error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const reason = cause instanceof Error && cause.message ? cause.message : 'no answer';
  return `Waiting for Kafka at ${brokers.join(', ')} (${reason}).`;
}
