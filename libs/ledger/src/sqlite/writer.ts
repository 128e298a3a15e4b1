import type { SqliteFile } from '@doorledger/event-log';
import type { Advance } from '../store.js';
import type { RowWrite, Value } from './writer-protocol.js';

type Statement = ReturnType<SqliteFile['db']['prepare']>;

/** Rows of one statement, largest first: few statements, each prepared once per shape and size. */
const ROWS_PER_STATEMENT = [32, 8, 1] as const;

/** Writes commits over one connection with statements prepared once. Call inside a transaction. */
export class SqliteWriter {
  readonly #db: SqliteFile['db'];
  readonly #insertPlace: Statement;
  readonly #movePlace: Statement;
  readonly #statements = new Map<string, Map<number, Statement>>();

  constructor(db: SqliteFile['db']) {
    this.#db = db;
    this.#insertPlace = db.prepare(
      'insert into projection_offset (next, epoch, timestamp, fold_time, chain_from, chain_head, topic, partition) ' +
        'values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing',
    );
    this.#movePlace = db.prepare(
      'update projection_offset set next = ?, epoch = ?, timestamp = ?, fold_time = ?, chain_from = ?, chain_head = ? ' +
        'where topic = ? and partition = ? and next = ?',
    );
  }

  /** Compare-and-set of one partition's place: false when it is not where the projector believes. */
  advance({ topic, partition, from, to }: Advance): boolean {
    const { next, epoch, timestamp, T, chain } = to;
    const values: Value[] = [next, epoch, timestamp, T, chain?.from ?? null, chain?.head ?? null, topic, partition];
    return (from === 0 ? this.#insertPlace.run(values) : this.#movePlace.run([...values, from])).changes === 1;
  }

  write(write: RowWrite): void {
    const { width, values } = write;
    let at = 0;
    for (const rows of ROWS_PER_STATEMENT) {
      const size = rows * width;
      if (values.length - at < size) continue;
      const statement = this.#statement(write, rows);
      for (; values.length - at >= size; at += size) statement.run(values.slice(at, at + size));
    }
  }

  #statement({ head, row, tail }: RowWrite, rows: number): Statement {
    let bySize = this.#statements.get(head);
    if (!bySize) this.#statements.set(head, (bySize = new Map<number, Statement>()));
    let statement = bySize.get(rows);
    if (!statement) bySize.set(rows, (statement = this.#db.prepare(head + new Array<string>(rows).fill(row).join(', ') + tail)));
    return statement;
  }
}
