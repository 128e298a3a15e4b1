import { topics } from '@doorledger/contracts';
import type { Kysely } from 'kysely';
import type { LedgerTables } from '../schema/index.js';

/** What sessions are found by (P2): keys of the session topic, the person they belong to, or the first digits of their references. */
export type SessionSearch =
  { readonly keys: readonly string[] } | { readonly owner: string; readonly key: string } | { readonly prefix: string };

const TURN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const REF = /^[0-9a-f]{32}$/;
const PREFIX = /^[0-9a-f]{4,31}$/;
const REQUEST = /^[0-9a-f]{64}$/;
const POSITION = /^(.+):(\d{1,6}):(\d{1,15})$/;

/**
 * Reads what somebody looks for: a session's reference or the first four digits or more of it, a person's reference, a turn, a request, a
 * position on the session topic, or else the session's own id, which `refOf` makes the reference of.
 */
export async function sessionSearch(db: Kysely<LedgerTables>, text: string, refOf: (id: string) => string): Promise<SessionSearch> {
  if (REF.test(text)) return { owner: text, key: text };
  if (PREFIX.test(text)) return { prefix: text };
  const [, topic, partition, offset] = POSITION.exec(text) ?? [];
  const fact = db.selectFrom('fact').select('session_key');
  const told =
    topic === topics.session.name
      ? await fact.where('partition', '=', Number(partition)).where('offset', '=', Number(offset)).execute()
      : TURN.test(text)
        ? await db.selectFrom('turn').select('session_key').where('turn_id', '=', text).execute()
        : REQUEST.test(text)
          ? await db.selectFrom('consent').select('session_key').where('request_id', '=', text).execute()
          : [];
  return { keys: [...told.map(({ session_key }) => session_key), refOf(text)] };
}
