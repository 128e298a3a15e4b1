import type { FactDefinition } from '@doorledger/contracts';

export type ColumnType = 'VARCHAR' | 'BIGINT' | 'BOOLEAN' | 'TIMESTAMPTZ' | 'JSON text';

/** A column and where in a fact's data its value is. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly path: readonly string[];
}

/** What every file has in front: the record's place and envelope. */
export const PLACE_COLUMNS = {
  log_topic: 'VARCHAR',
  log_partition: 'BIGINT',
  log_offset: 'BIGINT',
  /** The log's own time, by which clocks are judged (L11). */
  log_time: 'TIMESTAMPTZ',
  log_key: 'VARCHAR',
  event_id: 'VARCHAR',
  event_type: 'VARCHAR',
  event_source: 'VARCHAR',
  event_subject: 'VARCHAR',
  /** The writer's clock. */
  event_time: 'TIMESTAMPTZ',
  event_traceparent: 'VARCHAR',
  /** Of the fact, else the key of a record of a session. */
  session_ref: 'VARCHAR',
} as const satisfies Record<string, ColumnType>;

/** Records that are no fact of their topic, or break its schema: where they lie, and what is known of them. */
export const UNREADABLE_COLUMNS = {
  log_topic: 'VARCHAR',
  log_partition: 'BIGINT',
  log_offset: 'BIGINT',
  log_time: 'TIMESTAMPTZ',
  log_key: 'VARCHAR',
  event_id: 'VARCHAR',
  event_type: 'VARCHAR',
  event_subject: 'VARCHAR',
  why: 'VARCHAR',
} as const satisfies Record<string, ColumnType>;

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Whole numbers of these names are milliseconds since the Unix epoch. */
const TIMES = new Set(['at', 'from', 'to', 'decideBy', 'spendBy', 'notAfter', 'until']);

/** The columns of a fact's own data, in the order of its schema: `decideBy` is `decide_by`, and `private.offset` is `private_offset`. */
export const dataColumnsOf = ({ data }: FactDefinition): readonly Column[] =>
  columnsIn((data as Schema).properties!, []).filter(({ name }) => name !== 'session_ref');

const columnsIn = (properties: Readonly<Record<string, Schema>>, path: readonly string[]): readonly Column[] =>
  Object.entries(properties).flatMap(([name, schema]): readonly Column[] => {
    const at = [...path, name];
    return schema.properties ? columnsIn(schema.properties, at) : [{ name: at.map(snake).join('_'), type: typeOf(name, schema), path: at }];
  });

function typeOf(name: string, schema: Schema): ColumnType {
  const kinds = new Set((schema.anyOf ?? [schema]).map(({ type, const: value }) => type ?? typeof value));
  kinds.delete('null');
  const [kind] = kinds;
  if (kinds.size !== 1) return 'JSON text';
  if (kind === 'string') return 'VARCHAR';
  if (kind === 'boolean') return 'BOOLEAN';
  if (kind === 'integer') return TIMES.has(name) ? 'TIMESTAMPTZ' : 'BIGINT';
  return 'JSON text';
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
