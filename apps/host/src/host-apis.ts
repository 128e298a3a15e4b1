import {
  ConsentApi,
  EarlierCalls,
  ExternalIngressApi,
  GrantApi,
  HostApi,
  NameApi,
  Names,
  OperatorApi,
  SpendApi,
  type Caller,
  type Composer,
  type ConsentApiOptions,
  type GrantApiOptions,
  type HostApiOptions,
  type OperatorApiOptions,
} from '@doorledger/doors';
import type { EventLog } from '@doorledger/event-log';
import type { ContentKeys, References } from '@doorledger/privacy';
import { earlierPause, type Decisions, type FactLane } from '@doorledger/turns';
import { erase } from '@doorledger/upkeep';
import type { HostGrants } from './host-grants.js';
import type { HostParts } from './host-parts.js';
import type { HostSpends } from './host-spends.js';

export interface HostApisOptions
  extends
    Pick<HostParts, 'log' | 'ledger' | 'logId' | 'logger' | 'origin'>,
    Pick<HostApiOptions, 'ops' | 'pendingOf' | 'outputOf'>,
    Pick<GrantApiOptions, 'gates' | 'servers' | 'view' | 'pauseOf'>,
    Pick<OperatorApiOptions, 'claims' | 'freezes'> {
  readonly composer: Composer;
  readonly references: References;
  readonly keys: ContentKeys;
  /** The log as the host's health sees it. */
  readonly health: Pick<EventLog, 'append'>;
  readonly decisions: Decisions;
  readonly grants: HostGrants;
  readonly spends: HostSpends;
  readonly lane: FactLane;
  readonly isFrozen: (caller: Caller) => boolean;
}

/** The host's API (P5), as its routes ask for it. */
export interface HostApis {
  readonly api: HostApi;
  readonly consents: ConsentApi;
  readonly operators: OperatorApi;
  readonly grants: GrantApi;
  readonly names: NameApi;
  readonly spends: SpendApi;
  readonly externals: ExternalIngressApi;
}

export function hostApis({ grants, spends, lane, logger, ...parts }: HostApisOptions): HostApis {
  const { origin } = parts;
  const names = new Names(parts);
  const onRead: ConsentApiOptions['onRead'] = (read) => lane.add(`content/${read.sessionRef}`, { type: 'content.read', data: read });
  return {
    api: new HostApi(parts),
    consents: new ConsentApi({
      ...parts,
      names,
      onRead,
      earlier: new EarlierCalls({ ...parts, onRead, earlierPauseOf: earlierPause(parts) }),
      onTurnFailed: (err) => logger.warn({ err }, 'A turn failed after its decision.'),
    }),
    operators: new OperatorApi({
      ...parts,
      revokeGrantsOf: (userRef, by) => grants.revokeOf(userRef, by),
      erase: (target, by) => erase(target, by, parts),
    }),
    grants: new GrantApi({ ...parts, ...grants, now: origin.now }),
    names: new NameApi({ ...parts, names }),
    spends: new SpendApi({ ...parts, decisions: spends.decisions, isBehind: () => spends.isBehind }),
    externals: new ExternalIngressApi({ ...parts, log: parts.health }),
  };
}
