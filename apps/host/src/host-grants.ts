import type { EventOrigin } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import type { GrantHistory, LedgerReader } from '@doorledger/ledger';
import type { ContentKeys } from '@doorledger/privacy';
import { GrantBook, GrantClaims, Grants, type PrivateWriter } from '@doorledger/turns';

export interface HostGrantsOptions {
  readonly known: readonly GrantHistory[];
  readonly log: Pick<EventLog, 'append'>;
  readonly records: Pick<EventLog, 'recordAt'>;
  readonly keys: ContentKeys;
  readonly content: PrivateWriter;
  readonly origin: EventOrigin;
  readonly isFrozen: (userRef: string) => boolean;
}

/** A copy of a grant's first record that is later than this does not come: nobody appends anything again after a few seconds. */
const COPIES_MS = 24 * 3600 * 1000;

/** What a host needs to know of grants before its tail begins. */
export const knownGrants = (ledger: Pick<LedgerReader, 'grants'>, now: number): Promise<GrantHistory[]> =>
  ledger.grants(now, now - COPIES_MS);

/** Remembered grants of a host's life (N52). */
export class HostGrants {
  readonly book = new GrantBook();
  readonly grants: Grants;

  constructor({ known, log, records, keys, content, origin, isFrozen }: HostGrantsOptions) {
    this.book.seed(known);
    const claims = new GrantClaims({ log, book: this.book, origin });
    this.grants = new Grants({ book: this.book, claims, content, log: records, keys, isFrozen });
  }

  /** T21: what a person gave, or was given, ends with their sign-in. */
  async revokeOf(userRef: string, by: string): Promise<void> {
    const theirs = this.book.all(Date.now()).filter((grant) => grant.userRef === userRef || grant.by === userRef);
    await Promise.all(theirs.map(({ grantId }) => this.grants.revoke(grantId, by)));
  }
}
