import type { Differences } from './differences.js';
import type { JsonLine } from './json-lines.js';
import { jsonPieces, type Piece } from './unseen.js';

export interface Cell extends Piece {
  readonly role: 'key' | 'mark' | 'text' | 'value' | 'old' | 'note';
}

/** One row of fixed height on the screen. A line takes as many as its text needs: nothing is cut. */
export interface ArgumentRow {
  /** Index of the line it is of. */
  readonly line: number;
  readonly isFirst: boolean;
  readonly differs: boolean;
  readonly cells: readonly Cell[];
  /** Beside it: what stood here in the earlier call. */
  readonly old: readonly Cell[];
}

export interface RowsOptions {
  /** Characters that fit a row. */
  readonly columns: number;
  /** Characters that fit beside a row; 0 puts earlier values below. */
  readonly oldColumns: number;
  readonly differences?: Differences;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
const NARROW = /^[\x20-\x7e\u00a1-\u02ff]*$/;
const MARK = /\p{M}/u;

/** Breaks cells into rows of so many columns, where a text breaks by itself or a row is full. */
export function wrapped(cells: readonly Cell[], columns: number, hanging = 0): Cell[][] {
  const rows: Cell[][] = [[]];
  let left = columns;
  const begin = () => {
    rows.push(hanging > 0 ? [{ text: ' '.repeat(hanging), role: 'mark' }] : []);
    left = columns - hanging;
  };
  const put = (cell: Cell, width: number) => {
    if (width > left && left < columns - hanging) begin();
    rows.at(-1)!.push(cell);
    left -= width;
  };
  for (const cell of cells) {
    if (cell.unseen !== undefined) put(cell, cell.text.length);
    else
      for (let rest = cell.text; rest !== '';) {
        if (left <= 0) begin();
        const { text, width } = fitting(rest, left, columns - hanging);
        if (text === '') begin();
        else put({ ...cell, text }, width);
        rest = rest.slice(text.length);
      }
    if (cell.breaks) begin();
  }
  return rows;
}

/** As much of a text as fits; at least one character where a whole row is free. */
function fitting(text: string, left: number, whole: number): { text: string; width: number } {
  const head = text.slice(0, left);
  if (NARROW.test(head) && !MARK.test(text[head.length] ?? '')) {
    // Between words, where that leaves no row half empty.
    const space = head.length < text.length ? head.lastIndexOf(' ') + 1 : head.length;
    const end = space > whole / 2 ? space : head.length;
    return { text: head.slice(0, end), width: end === head.length ? end : left };
  }
  let [end, width] = [0, 0];
  for (const character of text) {
    const own = MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
    if (width + own > left && (end > 0 || left < whole)) break;
    end += character.length;
    width += own;
  }
  return { text: text.slice(0, end), width };
}

const cellsOf = (json: string, role: Cell['role']): Cell[] => jsonPieces(json).map((piece) => ({ ...piece, role }));

/** The rows that lines of JSON are drawn in, each earlier value beside what differs from it, or below. */
export function argumentRows(lines: readonly JsonLine[], { columns, oldColumns, differences }: RowsOptions): ArgumentRow[] {
  const rows: ArgumentRow[] = [];
  lines.forEach(({ depth, path, key, value, hasComma }, line) => {
    const difference = path === undefined ? undefined : differences?.changed.get(path);
    const isText = value.startsWith('"');
    const indent = Math.min(depth * 2, Math.floor(columns / 3));
    const cells: Cell[] = [
      ...(indent > 0 ? [{ text: ' '.repeat(indent), role: 'mark' } as const] : []),
      ...(key === undefined ? [] : [...cellsOf(key, 'key'), { text: ': ', role: 'mark' } as const]),
      ...cellsOf(value, isText ? 'text' : /^[[\]{}]+$/.test(value) ? 'mark' : 'value'),
      ...(hasComma ? [{ text: ',', role: 'mark' } as const] : []),
    ];
    const now = wrapped(cells, columns, indent);
    const old = difference ? wrapped(oldCells(difference), oldColumns || columns, oldColumns ? 0 : indent) : [];
    const height = oldColumns === 0 ? now.length + old.length : Math.max(now.length, old.length);
    for (let i = 0; i < height; i++) {
      const below = oldColumns === 0 ? old[i - now.length] : undefined;
      const indented = below && i === now.length && indent > 0 ? [{ text: ' '.repeat(indent), role: 'mark' } as const, ...below] : below;
      rows.push({
        line,
        isFirst: i === 0,
        differs: difference !== undefined,
        cells: indented ?? now[i] ?? [],
        old: oldColumns === 0 ? [] : (old[i] ?? []),
      });
    }
  });
  return rows;
}

function oldCells({ was, times }: { readonly was?: string; readonly times?: number }): Cell[] {
  if (was === undefined) return [{ text: 'was not there', role: 'note' }];
  const note = times === undefined ? [] : [{ text: ` now ×${timesText(times)}`, role: 'note' } as const];
  return [...cellsOf(was, 'old'), ...note];
}

const timesText = (times: number): string =>
  times >= 100 ? String(Math.round(times)) : times >= 0.1 ? times.toFixed(1) : times.toPrecision(1);
