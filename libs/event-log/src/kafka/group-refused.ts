import { LogRefusedError } from '../errors.js';
import { brokerError } from './broker-errors.js';
import type { GroupRefusal } from './coordinator.js';
import { forbidden } from './log-unreachable.js';

/** What an operator has to mend of a group; undefined for what passes by itself. */
export function groupRefused(group: string, cause: GroupRefusal): LogRefusedError | undefined {
  switch (cause.errorCode) {
    case brokerError.groupAuthorizationFailed:
      return forbidden(`as a member of the group ${group}`, cause);
    case brokerError.inconsistentGroupProtocol:
      return refused(group, 'something else uses a group of this name. End it, or name another group.', cause);
    case brokerError.invalidSessionTimeout:
      return refused(
        group,
        'sessions as short as ours are not allowed. Set group.min.session.timeout.ms to 6000 or less on the brokers.',
        cause,
      );
    case brokerError.groupMaxSizeReached:
      return refused(group, 'it is full. Raise group.max.size on the brokers, or run fewer projectors.', cause);
    default:
      return undefined;
  }
}

const refused = (group: string, why: string, cause: unknown): LogRefusedError =>
  new LogRefusedError('ERR_GROUP_REFUSED', `Kafka does not let this process into the group ${group}: ${why}`, { cause });
