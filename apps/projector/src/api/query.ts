import { LedgerError, MAX_PAGE, projectedTopics, type PageRequest } from '@doorledger/ledger';
import type { LogPositions, Position } from '@doorledger/event-log';
import { queryOf } from '@doorledger/openapi';

export type Query = Readonly<Record<string, unknown>>;

const refused = (message: string): LedgerError => new LedgerError('ERR_INVALID_QUERY', message);

/**
 * Reads the parameters of a ledger query, each given at most once; all are optional.
 * @throws LedgerError `ERR_INVALID_QUERY`: an unknown parameter's answer names the known ones (P7)
 */
export function readQuery<Q extends object>(query: Query, operation: { readonly query: Q }): { readonly [N in keyof Q]?: string } {
  const known: readonly string[] = queryOf(operation);
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name))
      throw refused(`A parameter here is not known. ${known.length > 0 ? `Known are: ${known.join(', ')}.` : 'This query takes none.'}`);
    if (typeof value !== 'string') throw refused(`Give the parameter ${name} once.`);
  }
  return query as { readonly [N in keyof Q]?: string };
}

export function readPage({ limit, cursor }: { readonly limit?: string; readonly cursor?: string }): PageRequest {
  if (limit !== undefined && !(/^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= MAX_PAGE))
    throw refused(`limit is a whole number from 1 to ${MAX_PAGE}.`);
  return { ...(limit !== undefined && { limit: Number(limit) }), ...(cursor !== undefined && { cursor }) };
}

/** One of a few words. */
export function readWord<W extends string>(name: string, value: string | undefined, known: readonly W[]): W | undefined {
  if (value === undefined || known.includes(value as W)) return value as W | undefined;
  throw refused(`${name} is one of ${known.join(', ')}.`);
}

const NAME = /^[^\p{Cc}]{1,400}$/u;

/** A name or an id as somebody else gave it. */
export function readName(name: string, value: string | undefined): string | undefined {
  if (value === undefined || NAME.test(value)) return value;
  throw refused(`${name} is a text of 1 to 400 characters, none of them a control character.`);
}

/** `topic:partition:offset`, as `x-doorledger-position` gives it; `applied` names the partitions there are. */
export function readPosition(at: string, applied: LogPositions): Position {
  const [, topic, partition, offset] = /^([\w.-]+):(\d{1,6}):(\d{1,15})$/.exec(at) ?? [];
  if (topic === undefined || !projectedTopics.includes(topic) || applied[topic]?.[Number(partition)] === undefined)
    throw refused('at is topic:partition:offset, as x-doorledger-position gives it, of a partition that the ledger reads.');
  return { topic, partition: Number(partition), offset: Number(offset) };
}
