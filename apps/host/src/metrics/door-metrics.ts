import { isDoorErrorCode, type IngressEntry, type IngressRecorderOptions } from '@doorledger/doors';
import type { Metrics } from '@doorledger/observability';

/** Which token check failed, else the code; what has neither code nor name of ours is `uncoded`. */
const causeOf = ({ identityFailure, errorCode }: IngressEntry): string =>
  identityFailure ?? (errorCode !== undefined && isDoorErrorCode(errorCode) ? errorCode : 'uncoded');

/** Counts what the doors answered. One look-up and one addition for a refused request. */
export function doorMetrics(metrics: Metrics): Required<Pick<IngressRecorderOptions, 'onFiled' | 'onCounted'>> {
  const requests = metrics.counter('doorledger_requests_total');
  const refusals = metrics.counter('doorledger_refusals_total');
  const counted = metrics.counter('doorledger_requests_counted_total');
  return {
    onFiled: (entry) => {
      const { door, outcome, turnId, durationMs } = entry;
      requests.add(door, outcome);
      if (outcome !== 'served') refusals.add(outcome, causeOf(entry));
      if (door === 'turn' && turnId !== undefined) metrics.observe('doorledger_turn_duration_seconds', durationMs / 1000, outcome);
    },
    onCounted: (reason) => counted.add(reason),
  };
}
