import type { LedgerReader } from '@doorledger/ledger';
import type { ContentKeys } from '@doorledger/privacy';
import type { PrivateWriter } from '@doorledger/turns';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../caller.js';

export interface KnownPersonsOptions {
  readonly ledger: Pick<LedgerReader, 'nameKey'>;
  readonly keys: Pick<ContentKeys, 'holds'>;
  readonly content: Pick<PrivateWriter, 'personNamed'>;
}

const REMEMBERED = 10_000;

/** Sees to it that a person is named, sealed, before the first public fact that uses their reference (spec 9). */
export class KnownPersons {
  readonly #known = new LRUCache<string, true>({ max: REMEMBERED });

  constructor(private readonly options: KnownPersonsOptions) {}

  async named({ userRef, principal }: Caller): Promise<void> {
    if (userRef === undefined || !principal || this.#known.has(userRef)) return;
    const { issuer, tenant, subject, name } = principal;
    if (!(await this.#isNamed(userRef)))
      await this.options.content.personNamed(userRef, {
        issuer,
        subject,
        ...(tenant !== undefined && { tenant }),
        ...(name !== undefined && { name }),
      });
    this.#known.set(userRef, true);
  }

  /** The person's key may be gone (X2): who comes back is named anew. */
  forget(userRef: string): void {
    this.#known.delete(userRef);
  }

  /** A name whose key is gone is none any more. */
  async #isNamed(userRef: string): Promise<boolean> {
    const keyId = await this.options.ledger.nameKey(userRef);
    return keyId !== undefined && this.options.keys.holds(keyId);
  }
}
