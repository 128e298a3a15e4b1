import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

type Row = Readonly<Record<string, string | number | null>>;

/** What the ledger says of a request. */
export interface LedgerRows {
  readonly consent: Row | undefined;
  /** The dispatched call that quotes it. */
  readonly call: Row | undefined;
  /** Votes and spends that were tried, in order: `<kind> <verdict>`, with the reason for a void one. */
  readonly attempts: readonly string[];
}

/** The live ledger's file in a data folder. */
export const ledgerFile = (data: string): string => join(data, `ledger.${readFileSync(join(data, 'ledger.current'), 'utf8').trim()}.db`);

/** Reads beside the process that writes. */
export function onLedger(data: string, requestId: string): LedgerRows {
  const db = new Database(ledgerFile(data), { readonly: true });
  try {
    // One transaction: the rows of one moment.
    db.exec('BEGIN');
    const one = (sql: string) => db.prepare<[string], Row>(sql).get(requestId);
    const tried = db
      .prepare<[string], { kind: string; verdict: string; void_reason: string | null }>(
        'SELECT * FROM consent_attempt WHERE request_id = ? ORDER BY "offset"',
      )
      .all(requestId);
    return {
      consent: one('SELECT * FROM consent WHERE request_id = ?'),
      call: one('SELECT * FROM tool_call WHERE request_id = ?'),
      attempts: tried.map(({ kind, verdict, void_reason: why }) => `${kind} ${verdict}${why === null ? '' : ` void: ${why}`}`),
    };
  } finally {
    db.close();
  }
}
