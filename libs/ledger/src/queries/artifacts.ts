import { hash } from 'node:crypto';
import { topics } from '@doorledger/contracts';
import type { Kysely } from 'kysely';
import type { ArtifactReading, StoredArtifact } from '../reader.js';
import type { LedgerTables, Row } from '../schema/index.js';

type Part = Row<'artifact'>;

export interface ArtifactAsk {
  readonly sessionKey: string;
  readonly artifactRef: string;
  /** The private topic's partition of the session. */
  readonly partition: number;
  /** The highest private offset that the asker knows a standing record of the session to name; -1 for none. */
  readonly citedTo: number;
}

/**
 * An artifact of a session (H2). It counts when a standing record of its turn names private content that was written after it (L10): a
 * turn stores its files first, then the messages that name them, then the standing record, all in one partition.
 */
export async function readArtifact(db: Kysely<LedgerTables>, ask: ArtifactAsk): Promise<ArtifactReading> {
  // Before the rows: what is read later holds at least as much.
  const isBehind = await lacksContent(db, ask);
  const parts = await firstCopies(db, ask);
  const artifact = parts.length > 0 && (await isCounted(db, parts)) ? joined(parts) : undefined;
  return artifact ? { kind: 'stored', artifact } : { kind: isBehind ? 'behind' : 'missing' };
}

/** A part that was appended twice counts where it came first. */
async function firstCopies(db: Kysely<LedgerTables>, { sessionKey, artifactRef }: ArtifactAsk): Promise<Part[]> {
  const rows = await db
    .selectFrom('artifact')
    .selectAll()
    .where('artifact_ref', '=', artifactRef)
    .where('session_key', '=', sessionKey)
    .orderBy('part')
    .orderBy('offset')
    .execute();
  return rows.filter((row, i) => row.part !== rows[i - 1]?.part);
}

async function isCounted(db: Kysely<LedgerTables>, parts: readonly Part[]): Promise<boolean> {
  const { turn_id, session_key } = parts[0]!;
  const turn = await db
    .selectFrom('turn')
    .select('content_offset')
    .where('turn_id', '=', turn_id)
    .where('session_key', '=', session_key)
    .executeTakeFirst();
  return (turn?.content_offset ?? -1) > Math.max(...parts.map(({ offset }) => offset));
}

/** Undefined where the parts are not the whole that was stored. */
function joined(parts: readonly Part[]): StoredArtifact | undefined {
  const { turn_id: turnId, key_id: keyId, parts: count, hash: whole } = parts[0]!;
  if (parts.length !== count) return undefined;
  const sealed = count === 1 ? parts[0]!.sealed! : Buffer.concat(parts.map((part) => part.sealed!));
  if (count > 1 && hash('sha256', sealed, 'hex') !== whole) return undefined;
  return { turnId, keyId, sealed };
}

/** Whether standing records of the session name private content that the ledger has not read, as far as it or the asker knows. */
async function lacksContent(db: Kysely<LedgerTables>, { sessionKey, partition, citedTo }: ArtifactAsk): Promise<boolean> {
  const last = await db
    .selectFrom('turn')
    .select('content_offset')
    .where('session_key', '=', sessionKey)
    .where('content_offset', 'is not', null)
    .orderBy('claimed_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const namedTo = last?.content_offset ?? -1;
  if (namedTo < citedTo) return true;
  if (namedTo < 0) return false;
  const place = await db
    .selectFrom('projection_offset')
    .select('next')
    .where('topic', '=', topics.private.name)
    .where('partition', '=', partition)
    .executeTakeFirst();
  return (place?.next ?? 0) <= namedTo;
}
