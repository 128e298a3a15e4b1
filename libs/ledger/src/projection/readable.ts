import { factByType, whyInvalid, type AnyFactEvent } from '@doorledger/contracts';
import type { StoredRecord } from '@doorledger/event-log';

/** A record as its valid event; or why nobody can read it; or neither, when its type is of a later release. */
export type Reading = { readonly event: AnyFactEvent } | { readonly why: string } | undefined;

/** Never quotes the record: `why` names a place and a rule. */
export function readEvent(record: StoredRecord): Reading {
  const { body } = record.decoded;
  if (!body) return { why: 'unreadable' };
  const definition = factByType.get(String(body.type));
  if (!definition) return typeof body.type === 'string' ? undefined : { why: 'unreadable' };
  if (definition.topic.name !== record.topic) return { why: 'wrong-topic' };
  const problem = whyInvalid(body);
  return problem === undefined ? { event: body as unknown as AnyFactEvent } : { why: problem };
}
