import type { PoolClient, QueryResult } from 'pg';
import type { Advance } from '../store.js';
import { binaryArray, unnest, type Element, type ElementType } from './binary-array.js';

const COLUMNS = 'topic, partition, next, epoch, "timestamp", fold_time, chain_from, chain_head';
const TYPES: readonly ElementType[] = ['text', 'integer', 'integer', 'integer', 'integer', 'integer', 'integer', 'text'];
const VALUES: readonly ((advance: Advance) => Element)[] = [
  ({ topic }) => topic,
  ({ partition }) => partition,
  ({ to }) => to.next,
  ({ to }) => to.epoch,
  ({ to }) => to.timestamp,
  ({ to }) => to.T,
  ({ to }) => to.chain?.from,
  ({ to }) => to.chain?.head,
];

const first = {
  name: 'first places',
  text: `insert into projection_offset (${COLUMNS}) select * from ${unnest(TYPES)} on conflict do nothing`,
};

const later = {
  name: 'later places',
  text:
    'update projection_offset o set next = n.next, epoch = n.epoch, "timestamp" = n."timestamp", fold_time = n.fold_time, ' +
    'chain_from = n.chain_from, chain_head = n.chain_head ' +
    `from ${unnest([...TYPES, 'integer'])} as n (${COLUMNS}, believed) ` +
    'where o.topic = n.topic and o.partition = n.partition and o.next = n.believed',
};

/**
 * Compare-and-set of every place: false when one is not where the projector believes. A commit of another projector that is moving the
 * same place is waited for.
 */
export async function advance(client: PoolClient, advances: readonly Advance[]): Promise<boolean> {
  const fresh = advances.filter(({ from }) => from === 0);
  const known = advances.filter(({ from }) => from !== 0);
  const answers: Promise<QueryResult>[] = [];
  if (fresh.length > 0) answers.push(client.query({ ...first, values: arraysOf(fresh) }));
  if (known.length > 0) {
    const believed = binaryArray(
      'integer',
      known.map(({ from }) => from),
    );
    answers.push(client.query({ ...later, values: [...arraysOf(known), believed] }));
  }
  const moved = (await Promise.all(answers)).reduce((sum, { rowCount }) => sum + rowCount!, 0);
  return moved === advances.length;
}

const arraysOf = (advances: readonly Advance[]): Buffer[] => VALUES.map((value, i) => binaryArray(TYPES[i]!, advances.map(value)));
