import { mayDecide } from '@doorledger/consent';
import type { SessionView } from '@doorledger/event-log';
import type { Row } from '@doorledger/ledger';
import type { DecisionsOptions } from '@doorledger/turns';
import { deciderOf, isOwner, type Caller } from '../caller.js';

export interface SeenRequestsOptions {
  readonly view: Pick<SessionView, 'hold'>;
  readonly pauseOf: DecisionsOptions['pauseOf'];
  readonly gates: Pick<DecisionsOptions['gates'], 'terms'>;
}

type RequestRow = Pick<Row<'consent'>, 'request_id' | 'session_key' | 'party_ref' | 'tenant_ref' | 'server' | 'tool'>;

/** Roles that see every request of their tenant: those of P1, and the one that requests are put before unless a gate names others. */
const SEEING = ['auditor', 'operator', 'approver'];

/** For whom a request is there at all: for whoever may not see it, it is not (404), whatever they ask of it. */
export class SeenRequests {
  constructor(private readonly options: SeenRequestsOptions) {}

  async isSeenBy(caller: Caller, row: RequestRow): Promise<boolean> {
    const { isVerified, userRef } = caller;
    if (!isVerified || (userRef !== undefined && userRef === row.party_ref)) return true;
    return this.#byRole(caller, row) || this.#bySession(caller, row);
  }

  /** Roles count in the request's tenant (N50); `*` reads all of them (P1). */
  #byRole({ principal, tenant, tenantRef }: Caller, { tenant_ref, server, tool }: RequestRow): boolean {
    const isOfAll = tenant === undefined || tenant === '*';
    const has = (roles: readonly string[]) => principal?.roles.some((role) => roles.includes(role)) === true;
    if ((tenantRef ?? null) !== tenant_ref) return isOfAll && has(['auditor', 'operator']);
    const terms = server === null || tool === null ? [] : this.options.gates.terms(server, tool);
    return has([...SEEING, ...terms.flatMap(({ policy }) => (policy.deciders === 'party' ? [] : policy.roles))]);
  }

  /** Whose session it is, and while it waits whoever may decide it, whatever the gates are now. */
  async #bySession(caller: Caller, { request_id, session_key }: RequestRow): Promise<boolean> {
    const { view, pauseOf } = this.options;
    const held = await view.hold(session_key);
    try {
      const { owner, paused: waiting } = held.state;
      if (isOwner(owner, caller)) return true;
      const paused = waiting?.requestId === request_id ? await pauseOf(session_key, held) : undefined;
      const { request, terms } = paused ?? {};
      return (
        request !== undefined && [true, false].some((approved) => mayDecide(deciderOf(caller), request.call.party, terms!.policy, approved))
      );
    } finally {
      held.release();
    }
  }
}
