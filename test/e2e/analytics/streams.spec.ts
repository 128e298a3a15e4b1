import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const streams = (name: string) => read(`docs/analytics/streams/${name}.sql`);

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: object;
}
interface Channel {
  readonly address: string;
  readonly messages: Readonly<Record<string, unknown>>;
}

const asyncApi = JSON.parse(read('docs/contracts/asyncapi.json')) as { channels: Record<string, Channel> };
const published = Object.fromEntries(
  readdirSync(join(root, 'docs/contracts/schemas')).map((file) => {
    const { title, properties } = JSON.parse(read(`docs/contracts/schemas/${file}`)) as {
      title: string;
      properties: Record<string, Schema>;
    };
    return [title, properties];
  }),
);
const publicTopics = Object.values(asyncApi.channels)
  .filter(({ address }) => address !== 'doorledger.private.v1')
  .map(({ address, messages }) => ({
    address,
    types: Object.keys(published).filter((type) => type.replaceAll('.', '-') in messages),
  }));
const tableOf = (address: string) => address.replace('doorledger.', '').replaceAll(/[.-]/g, '_');
const viewOf = (type: string) => type.replaceAll(/[.-]/g, '_');

/** What a field may be: the JSON type, and whether it can be absent or null; undefined for one that is not published. */
function fieldOf(type: string, path: readonly string[]): { readonly json: string; readonly isOptional: boolean } | undefined {
  let schema: Schema | undefined = published[type]?.data;
  let isOptional = false;
  for (const name of path) {
    isOptional ||= !schema?.required?.includes(name);
    schema = schema?.properties?.[name];
  }
  if (!schema) return undefined;
  const kinds = new Set((schema.anyOf ?? [schema]).map((one) => one.type ?? typeof one.const));
  isOptional ||= kinds.delete('null');
  return { json: kinds.size === 1 ? [...kinds][0]! : 'any', isOptional };
}
const fitting: Readonly<Record<string, readonly string[]>> = {
  string: ['String', 'STRING'],
  integer: ['Int64', 'BIGINT'],
  boolean: ['Bool', 'BOOLEAN'],
};
/** Every leaf of a fact's data, as a path. */
const leaves = (schema: Schema, path: readonly string[] = []): readonly string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    inner.properties ? leaves(inner, [...path, name]) : [[...path, name].join('.')],
  );

/** Statements of a file that begin so, by the name they give. */
function statements(sql: string, begins: RegExp): ReadonlyMap<string, string> {
  const found = sql.split(/;\n/).flatMap((text) => {
    const [start, name] = begins.exec(text) ?? [];
    return start === undefined ? [] : [[name!, text] as const];
  });
  return new Map(found);
}

interface Extracted {
  readonly path: string;
  readonly type: string;
  readonly isNullable: boolean;
}

/** What is wrong with the columns of a fact's view, measured by the published schema. */
function faults(type: string, columns: readonly Extracted[]): string[] {
  const wrong = columns.flatMap(({ path, type: column, isNullable }) => {
    const field = fieldOf(type, path.split('.'));
    if (!field) return [`${type} has no ${path}`];
    if (fitting[field.json] && !fitting[field.json]!.includes(column)) return [`${type}.${path} is ${field.json}, not ${column}`];
    return field.isOptional && !isNullable ? [`${type}.${path} may be absent`] : [];
  });
  const named = new Set(columns.map(({ path }) => path));
  return [...wrong, ...leaves(published[type]!.data!).flatMap((path) => (named.has(path) ? [] : [`${type}.${path} has no column`]))];
}

const clickHouseColumns = (view: string): readonly Extracted[] => [
  ...[...view.matchAll(/JSONExtract\(data, ((?:'\w+', )+)'(Nullable\()?(\w+)\)?'\)/g)].map(([, path, nullable, type]) => ({
    path: path!.replaceAll(/[', ]+/g, '.').replace(/^\.|\.$/g, ''),
    type: type!,
    isNullable: nullable !== undefined,
  })),
  ...[...view.matchAll(/JSONExtractRaw\(data, '(\w+)'\)/g)].map(([, path]) => ({ path: path!, type: 'raw', isNullable: true })),
];

describe('the ClickHouse definitions', () => {
  const sql = streams('clickhouse');
  const tables = statements(sql, /CREATE TABLE doorledger\.(\w+)/);
  const views = statements(sql, /CREATE VIEW doorledger\.(\w+)/);

  it.each(publicTopics)('V5 and spec 9 read $address, and keep what is no fact apart', ({ address }) => {
    const name = tableOf(address);
    const queue = tables.get(`${name}_queue`);
    expect(queue).toContain(`kafka_topic_list = '${address}'`);
    expect(queue).toContain("kafka_handle_error_mode = 'stream'");
    const made = statements(sql, /CREATE MATERIALIZED VIEW doorledger\.(\w+)/);
    expect(made.get(`${name}_facts`)).toContain('WHERE length(_error) = 0');
    expect(made.get(`${name}_broken`)).toContain('TO doorledger.broken');
    for (const [, field] of made.get(`${name}_facts`)!.matchAll(/JSONExtract(?:String|Raw)\(event, '(\w+)'\)/g))
      expect(published['turn.claimed']).toHaveProperty(field!);
  });

  it.each(publicTopics.flatMap(({ address, types }) => types.map((type) => ({ address, type }))))(
    'spec 9 have a view of $type with each of its fields, under a type that holds it',
    ({ address, type }) => {
      const view = views.get(viewOf(type))!;
      expect(view).toContain(`FROM doorledger.${tableOf(address)} FINAL\nWHERE event_type = '${type}'`);
      expect(faults(type, clickHouseColumns(view))).toEqual([]);
    },
  );
});

/** `name type` pairs of a ROW<…>, whatever is nested in them. */
function rowFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let [depth, from] = [0, 0];
  for (let i = 0; i <= text.length; i++) {
    if (text[i] === '<') depth++;
    else if (text[i] === '>') depth--;
    else if ((text[i] === ',' || i === text.length) && depth === 0) {
      const [, name, type] = /^\s*`(\w+)` ([^]+?)\s*$/.exec(text.slice(from, i))!;
      fields.set(name!, type!);
      from = i + 1;
    }
  }
  return fields;
}
const rowOf = (table: string) => rowFields(/`data` ROW<([^]*)\n {4}>,\n/.exec(table)![1]!);

const flinkColumns = (view: string, row: ReadonlyMap<string, string>): readonly Extracted[] =>
  [...view.matchAll(/`data`((?:\.`\w+`)+)/g)].map(([, parts]) => {
    const path = parts!.replaceAll('`', '').slice(1).split('.');
    const type = path
      .slice(1)
      .reduce((inner, name) => rowFields(/^ROW<(.*)>$/.exec(inner)?.[1] ?? '`none` NONE').get(name) ?? '', row.get(path[0]!) ?? '');
    // A field of a ROW is null where it is absent.
    return { path: path.join('.'), type, isNullable: true };
  });

describe('the Flink definitions', () => {
  const sql = streams('flink');
  const tables = statements(sql, /CREATE TABLE (\w+)/);
  const views = statements(sql, /CREATE VIEW (\w+)/);

  it.each(publicTopics)(
    'V5 and spec 9 read $address, skip what is no JSON, and name no field that no fact of it has',
    ({ address, types }) => {
      const table = tables.get(tableOf(address))!;
      expect(table).toContain(`'topic' = '${address}'`);
      expect(table).toContain("'value.json.ignore-parse-errors' = 'true'");
      const known = new Set(types.flatMap((type) => Object.keys(published[type]!.data!.properties!)));
      expect([...rowOf(table).keys()].filter((name) => !known.has(name))).toEqual([]);
    },
  );

  it.each(publicTopics.flatMap(({ address, types }) => types.map((type) => ({ address, type }))))(
    'spec 9 have a view of $type with each of its fields, under a type that holds it',
    ({ address, type }) => {
      const view = views.get(viewOf(type))!;
      expect(view).toContain(`FROM ${tableOf(address)}\nWHERE \`type\` = '${type}'`);
      expect(faults(type, flinkColumns(view, rowOf(tables.get(tableOf(address))!)))).toEqual([]);
    },
  );
});

it('reports a field that is not published, one of another type, one that may be absent, and one that is left out', () => {
  const columns = clickHouseColumns(
    "JSONExtract(data, 'requestId', 'Int64'), JSONExtract(data, 'by', 'String'), JSONExtract(data, 'note', 'String')",
  );
  const left = ['verdict', 'reason', 'of.partition', 'of.offset'].map((path) => `consent.settled.${path} has no column`);
  expect(faults('consent.settled', columns)).toEqual([
    'consent.settled.requestId is string, not Int64',
    'consent.settled.by may be absent',
    'consent.settled has no note',
    ...left,
  ]);
});

describe('the queries', () => {
  const snake = (path: string) => path.replaceAll('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const names = readdirSync(join(root, 'docs/analytics/queries'));

  it.each(names)('spec 9 %s reads files and columns that published facts have', (name) => {
    const sql = read(`docs/analytics/queries/${name}`).replaceAll(/--.*$/gm, '');
    const types = [...sql.matchAll(/'facts\/([\w.-]+)\.parquet'/g)].map(([, type]) => type!);
    expect(types.filter((type) => !(type in published))).toEqual([]);
    const columns = new Set(types.flatMap((type) => leaves(published[type]!.data!).map(snake)));
    const place = ['log_partition', 'log_offset', 'log_time', 'event_id'];
    const made = new Set(
      [...sql.matchAll(/\bAS (\w+)|(\w+) AS \(|WITH (\w+)|^\), (\w+)/gm)].flatMap((found) => found.slice(1).filter(Boolean)),
    );
    const used = [...sql.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([word]) => word);
    const functions = ['quantile_cont', 'epoch_ms'];
    expect(used.filter((word) => ![...columns, ...place, ...functions].includes(word) && !made.has(word))).toEqual([]);
  });
});
