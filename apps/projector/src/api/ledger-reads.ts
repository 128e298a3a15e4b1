import { Injectable } from '@nestjs/common';
import { topics } from '@doorledger/contracts';
import { partitionOf } from '@doorledger/event-log';
import { LedgerError, type ConsentSight, type LedgerStore } from '@doorledger/ledger';
import { Projection } from '../projection.js';
import { readPosition } from './query.js';
import { shownTo, type Viewer } from './viewer.js';

/** P3 */
const MAX_WAIT_MS = 2000;

export const POSITION_HEADER = 'x-doorledger-position';

export interface LedgerView {
  readonly db: LedgerStore['db'];
  /** The last record of a session's partition that every query of this view sees, as `?at=` takes it. */
  readonly positionOf: (sessionKey: string) => string;
}

/** The one way of the API to the ledger's rows: waits for the caller's own write. What a caller may see is narrowed here. */
@Injectable()
export class LedgerReads {
  constructor(private readonly projection: Projection) {}

  /** The keys that a session goes by: its reference, or the one of its id in the viewer's tenant. */
  keysOf(session: string | undefined, { tenant }: Viewer): readonly string[] | undefined {
    return session === undefined ? undefined : [session, this.projection.references.sessionRef(tenant, session)];
  }

  /** Which requests for consent somebody may see; undefined for all. Roles count within the party's tenant only (N50). */
  sightOf(viewer: Viewer): ConsentSight | undefined {
    const { owner: party, tenant: audited } = shownTo(viewer);
    if (audited !== undefined) return { tenant: audited };
    if (party === undefined) return undefined;
    if (!viewer.decides) return { party };
    return { party, decidesIn: { tenantRef: viewer.tenantRef ?? null } };
  }

  /** @throws LedgerError `ERR_LEDGER_BEHIND` when `at` is not in the ledger within 2 s, `ERR_INVALID_QUERY` */
  async open(at: string | undefined): Promise<LedgerView> {
    const { projector, store } = this.projection;
    if (at !== undefined && !(await projector.reach(readPosition(at, projector.applied), MAX_WAIT_MS)))
      throw new LedgerError('ERR_LEDGER_BEHIND', 'The ledger has not read this position yet. Try again soon.');
    const { name } = topics.session;
    // Before the rows: what is read later holds at least as much.
    const { [name]: applied = [] } = await projector.places();
    return {
      db: store.db,
      positionOf: (sessionKey) => {
        const partition = partitionOf(sessionKey, applied.length);
        return `${name}:${partition}:${applied[partition]! - 1}`;
      },
    };
  }
}
