import type { SchemaPart } from '@doorledger/postgres';
import { LedgerError } from '../errors.js';

/**
 * What the ledger keeps outside every generation. `retired_at`: from then on not written any more, but readers of other processes may
 * still look at it.
 */
export const ledgerPart: SchemaPart = {
  name: 'ledger',
  steps: [
    `create table doorledger.ledger_generation (
     generation integer primary key,
     format integer not null,
     is_live boolean not null default false,
     retired_at timestamptz,
     check (not is_live or retired_at is null));
   create unique index one_live_generation on doorledger.ledger_generation (is_live) where is_live;
   create table doorledger.ledger_digest (
     is_last boolean primary key default true check (is_last),
     digest jsonb not null);`,
    `create table doorledger.ledger_identity (
     is_only boolean primary key default true check (is_only),
     ledger_id uuid not null);`,
  ],
  newer: (version, known) =>
    new LedgerError(
      'ERR_LEDGER_NEWER',
      `The database has version ${version} of the ledger's tables, of a newer release; this one knows ${known}. Use that release.`,
    ),
};
