import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ArgumentRow, Cell } from '../words/rows.js';

/** px; the style sheet says the same. */
const ROW = 20;
/** Few enough to be all on the page, where the browser's own search finds them. */
const ALL_UP_TO = 500;
const MORE_ROWS = 30;

interface Props {
  readonly rows: readonly ArgumentRow[];
  readonly hasOld: boolean;
  readonly found: ReadonlySet<number>;
  readonly target: { readonly row: number } | undefined;
  readonly isNumbered: boolean;
}

/** The first row of each run of rows that differ. */
export const rowsApart = (rows: readonly ArgumentRow[]): number[] =>
  rows.flatMap(({ differs, isFirst }, row) => (differs && isFirst ? [row] : []));

/** All rows, as high as they are; of many, those in sight are on the page. */
export function Rows({ rows, hasOld, found, target, isNumbered }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const [from, to] = useInSight(list, rows.length);
  useEffect(() => {
    const element = list.current;
    if (!target || !element) return;
    const mark = document.createElement('i');
    mark.className = 'target';
    mark.style.top = `${target.row * ROW}px`;
    element.append(mark);
    mark.scrollIntoView({ block: 'center' });
    mark.remove();
  }, [target]);
  return (
    <div class="rows-frame" tabIndex={0} role="region" aria-label="The arguments, line by line">
      <div ref={list} class={hasOld ? 'rows beside' : 'rows'} style={{ height: `${rows.length * ROW}px` }} data-rows={rows.length}>
        <div class="in-sight" style={{ transform: `translateY(${from * ROW}px)` }}>
          {rows.slice(from, to).map((row, at) => {
            const index = from + at;
            const state = `${row.differs ? ' differs' : ''}${found.has(index) ? ' found' : ''}${target?.row === index ? ' at' : ''}`;
            return (
              <div key={index} class={`row-line${state}`} data-row={index}>
                <span class="number" aria-hidden="true">
                  {row.isFirst && isNumbered ? row.line + 1 : ''}
                </span>
                <code>{row.cells.map(cellOf)}</code>
                {hasOld && <code class="old">{row.old.map(cellOf)}</code>}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

const cellOf = ({ text, role, unseen }: Cell, at: number) =>
  unseen === undefined ? (
    <span key={at} class={role}>
      {text}
    </span>
  ) : (
    <span key={at} class="unseen" title={unseen}>
      {text}
    </span>
  );

/** Which rows are in sight, whatever scrolls. */
function useInSight(list: { readonly current: HTMLElement | null }, length: number): readonly [number, number] {
  const [sight, setSight] = useState<readonly [number, number]>([0, 60]);
  useLayoutEffect(() => {
    if (length <= ALL_UP_TO) return;
    const look = () => {
      const { top } = list.current!.getBoundingClientRect();
      // In steps, so that most scrolling changes nothing.
      const first = Math.max(0, Math.floor(-top / ROW / MORE_ROWS) * MORE_ROWS - MORE_ROWS);
      const last = Math.min(length, first + Math.ceil(innerHeight / ROW) + 3 * MORE_ROWS);
      setSight((before) => (before[0] === first && before[1] === last ? before : [first, last]));
    };
    look();
    addEventListener('scroll', look, { capture: true, passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look, { capture: true });
      removeEventListener('resize', look);
    };
  }, [list, length]);
  return length <= ALL_UP_TO ? [0, length] : sight;
}
