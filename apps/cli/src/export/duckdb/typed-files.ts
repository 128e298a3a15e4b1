import { join } from 'node:path';
import { DuckDBInstance, DuckDBTimestampTZValue, type DuckDBAppender, type DuckDBConnection } from '@duckdb/node-api';
import type { ColumnType } from '../columns.js';
import type { Row, Table, Value } from '../rows.js';

/** Rows that are held before they go to the disk. */
const ROWS_AT_ONCE = 20_000;

const SETTINGS = {
  threads: '2',
  memory_limit: '256MB',
  // Nothing is fetched from anywhere.
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
};

const FORMATS = { parquet: 'FORMAT parquet, COMPRESSION zstd', csv: 'FORMAT csv, HEADER' } as const;
export type TypedFormat = keyof typeof FORMATS;

/** Typed tables that grow in a file of DuckDB's beside the result, and become one file each: memory stays bounded. */
export class TypedFiles {
  readonly #appenders = new Map<string, { readonly appender: DuckDBAppender; readonly types: readonly ColumnType[] }>();
  #held = 0;

  private constructor(
    private readonly instance: DuckDBInstance,
    private readonly connection: DuckDBConnection,
    private readonly tables: readonly Table[],
  ) {}

  /** @param folder where the files are written; it holds `tables.duckdb` until `close` */
  static async open(folder: string, tables: readonly Table[]): Promise<TypedFiles> {
    const instance = await DuckDBInstance.create(join(folder, 'tables.duckdb'), { ...SETTINGS, temp_directory: join(folder, 'spill') });
    const files = new TypedFiles(instance, await instance.connect(), tables);
    await files.connection.run("SET TimeZone = 'UTC'");
    for (const { name, columns } of tables) {
      const named = Object.entries(columns).map(([column, type]) => `"${column}" ${type === 'JSON text' ? 'VARCHAR' : type}`);
      await files.connection.run(`CREATE TABLE "${name}" (${named.join(', ')})`);
      files.#appenders.set(name, { appender: await files.connection.createAppender(name), types: Object.values(columns) });
    }
    return files;
  }

  add({ table, values }: Row): void {
    const { appender, types } = this.#appenders.get(table)!;
    for (const [i, value] of values.entries()) append(appender, types[i]!, value);
    appender.endRow();
    if (++this.#held >= ROWS_AT_ONCE) this.#flush();
  }

  /** Writes `<name>.<format>` for each table into `folder`. */
  async write(folder: string, format: TypedFormat): Promise<readonly string[]> {
    this.#flush();
    const paths = this.tables.map(({ name }) => ({ name, path: join(folder, `${name}.${format}`) }));
    for (const { name, path } of paths) await this.connection.run(`COPY "${name}" TO '${path.replaceAll("'", "''")}' (${FORMATS[format]})`);
    return paths.map(({ path }) => path);
  }

  close(): void {
    for (const { appender } of this.#appenders.values()) appender.closeSync();
    this.#appenders.clear();
    this.connection.closeSync();
    this.instance.closeSync();
  }

  #flush(): void {
    for (const { appender } of this.#appenders.values()) appender.flushSync();
    this.#held = 0;
  }
}

function append(appender: DuckDBAppender, type: ColumnType, value: Value): void {
  if (value === null) appender.appendNull();
  else if (type === 'BIGINT') appender.appendBigInt(BigInt(value));
  else if (type === 'BOOLEAN') appender.appendBoolean(value as boolean);
  else if (type === 'TIMESTAMPTZ') appender.appendTimestampTZ(new DuckDBTimestampTZValue(BigInt(value) * 1000n));
  else appender.appendVarchar(value as string);
}
