import { factByType, whyInvalid, type FactDefinition, type TopicDefinition } from '@doorledger/contracts';
import type { StoredRecord } from '@doorledger/event-log';
import { dataColumnsOf, PLACE_COLUMNS, UNREADABLE_COLUMNS, type ColumnType } from './columns.js';

export type Value = string | number | boolean | null;

/** A file to be: its name without an ending, and its columns in order. */
export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
}

export interface Row {
  readonly table: string;
  /** One per column of the table, in its order; a time is ms since the Unix epoch. */
  readonly values: readonly Value[];
}

export const UNREADABLE = 'unreadable';

/** The files of these topics: one for each kind of fact, with nothing in it where there is none, and one for what nobody can read. */
export const tablesOf = (topics: readonly TopicDefinition[]): readonly Table[] => [
  ...[...factByType.values()]
    .filter(({ topic }) => topics.includes(topic))
    .map((fact) => ({
      name: fact.type,
      columns: { ...PLACE_COLUMNS, ...Object.fromEntries(dataColumnsOf(fact).map(({ name, type }) => [name, type])) },
    })),
  { name: UNREADABLE, columns: UNREADABLE_COLUMNS },
];

/** What JSON and a schema let pass, and 64 bits or a calendar do not. */
const LATEST_MS = 8.64e15;
const isOutOfRange = (value: Value): boolean => typeof value === 'number' && !(Math.abs(value) <= LATEST_MS);

type Body = NonNullable<StoredRecord['decoded']['body']>;

/** A record as a row of its kind's file. One that is no fact of its topic, or breaks its schema, is a row of `unreadable` (L8). */
export function rowOf(record: StoredRecord): Row {
  const { topic, decoded } = record;
  const { body } = decoded;
  if (!body) return unreadable(record, 'no JSON object with data');
  const fact = factByType.get(String(body.type));
  if (fact?.topic.name !== topic) return unreadable(record, 'a type that is not known on its topic');
  const problem = whyInvalid(body);
  if (problem) return unreadable(record, `breaks its schema at ${problem}`);
  const row = factRow(record, body, fact);
  return row.values.some(isOutOfRange) ? unreadable(record, 'a number or a time that no column holds') : row;
}

const placeOf = ({ topic, partition, offset, timestamp, key }: StoredRecord): readonly Value[] => [
  topic,
  partition,
  offset,
  timestamp,
  key,
];

function factRow(record: StoredRecord, body: Body, fact: FactDefinition): Row {
  const { data } = body;
  const event = [
    body.id,
    body.type,
    body.source,
    body.subject,
    Date.parse(String(body.time)),
    body.traceparent ?? null,
  ] as readonly Value[];
  const session = (data.sessionRef ?? sessionKey(record.key)) as Value;
  return { table: fact.type, values: [...placeOf(record), ...event, session, ...valuesOf(fact, data)] };
}

/** Keys of the session topic are references of sessions, else ids of turns. */
const sessionKey = (key: string): string | null => (/^[0-9a-f]{32}$/.test(key) ? key : null);

const columnsOf = new Map([...factByType.values()].map((fact) => [fact.type, dataColumnsOf(fact)]));

function valuesOf(fact: FactDefinition, data: Body['data']): readonly Value[] {
  return columnsOf.get(fact.type)!.map(({ path, type }) => {
    const value = path.reduce<unknown>((part, name) => (part as Readonly<Record<string, unknown>> | undefined)?.[name], data);
    if (value === undefined || value === null) return null;
    return type === 'JSON text' ? JSON.stringify(value) : (value as Value);
  });
}

function unreadable(record: StoredRecord, why: string): Row {
  const { id = null, type = null, subject = null } = record.decoded;
  return { table: UNREADABLE, values: [...placeOf(record), id, type, subject, why] };
}
