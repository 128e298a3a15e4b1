import { topics, whyInvalid, type FactData } from '@doorledger/contracts';
import type { EventLog } from './event-log.js';

/** Who the log is (K8): as its first standing genesis record says, or the last one by which an operator adopted it. */
export type LogIdentity = FactData<'log.genesis'>;

/** The key of every record that says who the log is. */
export const IDENTITY_KEY = 'genesis';

/** What of a log is otherwise than its identity says. */
export type IdentityChange =
  | { readonly of: 'place'; readonly was: string; readonly is: string }
  | { readonly of: 'key' }
  /** Partition counts; none: there is no such topic. */
  | { readonly of: 'topic'; readonly topic: string; readonly was?: number; readonly is?: number }
  | { readonly of: 'fold'; readonly was: number; readonly is: number };

/** Undefined on a log that has none yet. Reads the whole of `system`: an adoption may stand anywhere in it. */
export async function readIdentity(log: EventLog): Promise<LogIdentity | undefined> {
  let identity: LogIdentity | undefined;
  for await (const next of identitiesOf(log)) identity = next;
  return identity;
}

/** Everything the log ever was, the last one is what it is. */
export async function* identitiesOf(log: EventLog): AsyncGenerator<LogIdentity> {
  const { name } = topics.system;
  const starts = (await log.ends(name)).map(({ start }) => start);
  let isBegun = false;
  for await (const { records } of log.read(name, starts))
    for (const record of records) {
      if (record.key !== IDENTITY_KEY) continue;
      const { type, body } = record.decoded;
      const isMeant = type === 'log.adopted' || (type === 'log.genesis' && !isBegun);
      if (!isMeant || body?.type !== type || whyInvalid(body)) continue;
      isBegun = true;
      yield body.data as unknown as LogIdentity;
    }
}

/** In the order in which a start is refused for them (K8, L8). `fold` is what this release knows. */
export function changesSince(
  found: LogIdentity,
  log: Pick<EventLog, 'place' | 'topics'>,
  now: Pick<LogIdentity, 'keyCheck' | 'foldVersion'>,
): IdentityChange[] {
  const changes: IdentityChange[] = [];
  if (found.place !== log.place) changes.push({ of: 'place', was: found.place, is: log.place });
  if (found.keyCheck !== now.keyCheck) changes.push({ of: 'key' });
  for (const topic of new Set([...Object.keys(found.topics), ...log.topics.keys()])) {
    const [was, is] = [found.topics[topic], log.topics.get(topic)];
    if (was !== is) changes.push({ of: 'topic', topic, ...(was !== undefined && { was }), ...(is !== undefined && { is }) });
  }
  if (found.foldVersion !== now.foldVersion) changes.push({ of: 'fold', was: found.foldVersion, is: now.foldVersion });
  return changes;
}
