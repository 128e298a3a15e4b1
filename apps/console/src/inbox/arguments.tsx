import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { differences } from '../words/differences.js';
import { canonicalOf, jsonLines, type JsonLine } from '../words/json-lines.js';
import { count } from '../words/names.js';
import { argumentRows } from '../words/rows.js';
import { jsonPieces, unseenIn } from '../words/unseen.js';
import { Choice } from '../view/field.js';
import { CopyButton, Time } from '../view/small.js';
import { Rows, rowsApart } from './rows.js';
import { useColumns } from './use-columns.js';

/** The call of this tool that was approved last, as far as who looks may see it. */
export interface Previous {
  readonly requestId: string;
  readonly approvedAt?: string;
  /** The tool was defined as it is now. */
  readonly isSameTool: boolean;
  readonly text: string;
}

interface Props {
  /** Indented canonical JSON; what cannot be seen is escaped. */
  readonly text: string;
  /** Hex SHA-256 of the canonical text. */
  readonly digest: string;
  readonly previous?: Previous | undefined;
}

/** A call's arguments, whole: readable line by line beside the earlier ones, or as the very text that the digest covers. */
export function Arguments({ text, digest, previous }: Props) {
  const [view, setView] = useState<'readable' | 'exact'>('readable');
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const { columns, oldColumns } = useColumns(box, view === 'readable' && previous !== undefined);
  const lines = useMemo(() => jsonLines(text), [text]);
  const canonical = useMemo(() => canonicalOf(text), [text]);
  const isProven = useIsProven(canonical, digest);
  const differing = useMemo(() => previous && differences(lines, jsonLines(previous.text)), [lines, previous]);
  const shown = useMemo<readonly JsonLine[]>(
    () => (view === 'readable' ? lines : [{ depth: 0, value: canonical, hasComma: false }]),
    [view, lines, canonical],
  );
  const rows = useMemo(
    () => argumentRows(shown, { columns, oldColumns, ...(view === 'readable' && differing && { differences: differing }) }),
    [shown, columns, oldColumns, view, differing],
  );
  const unseen = useMemo(() => unseenIn(jsonPieces(text)), [text]);
  const found = useMemo(() => (wanted === '' ? [] : rowsFound(rows, lines, view, wanted)), [rows, lines, view, wanted]);
  const different = useMemo(() => rowsApart(rows), [rows]);
  const [target, setTarget] = useState<{ row: number } | undefined>();
  const show = (places: readonly number[], next: number) => {
    if (places.length === 0) return;
    const index = ((next % places.length) + places.length) % places.length;
    setAt(index);
    setTarget({ row: places[index]! });
  };
  return (
    <section aria-labelledby="arguments-title">
      <header class="head">
        <h2 id="arguments-title">Exact arguments</h2>
        <span class="quiet">What you see is what runs, byte for byte.</span>
      </header>
      <div class="arguments" ref={box}>
        <div class="bar">
          <Choice
            label="How arguments are shown"
            of={[
              ['readable', 'Readable'],
              ['exact', 'Exact'],
            ]}
            chosen={view}
            choose={setView}
          />
          <input
            class="input find"
            type="search"
            aria-label="Search in all arguments"
            placeholder="Search in all of it"
            value={wanted}
            onInput={({ currentTarget }) => {
              setWanted(currentTarget.value);
              setAt(-1);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              show(found, at + (event.shiftKey ? -1 : 1));
            }}
          />
          {wanted !== '' && (
            <span class="quiet" role="status">
              {found.length === 0 ? 'not in it' : `${Math.max(0, at) + 1} of ${found.length}`}
            </span>
          )}
          {view === 'readable' && different.length > 0 && (
            <button
              type="button"
              class="button small"
              onClick={() =>
                show(
                  different,
                  different.findIndex((row) => row > (target?.row ?? -1)),
                )
              }
            >
              Next difference
            </button>
          )}
          <CopyButton text={() => canonical}>Copy</CopyButton>
        </div>
        {view === 'readable' && <Compared previous={previous} count={differing?.count} gone={differing?.gone ?? []} />}
        <Rows rows={rows} hasOld={oldColumns > 0} found={new Set(found)} target={target} isNumbered={view === 'readable'} />
        <footer class="bar">
          <span>
            Shown whole: {lines.length.toLocaleString('en')} of {count(lines.length, 'line')},{' '}
            {count(new TextEncoder().encode(canonical).length, 'byte')}.
          </span>
          {unseen > 0 && (
            <b class="no">
              {count(unseen, 'character')} that cannot be seen {unseen === 1 ? 'is' : 'are'} drawn as a chip.
            </b>
          )}
          {isProven === true && <span>This browser has checked that the digest covers exactly this.</span>}
          {isProven === false && <b class="bad">The digest does not cover this text. Do not approve it; look at the host.</b>}
        </footer>
      </div>
    </section>
  );
}

function Compared({
  previous,
  count: n,
  gone,
}: {
  readonly previous?: Previous | undefined;
  readonly count: number | undefined;
  readonly gone: readonly JsonLine[];
}) {
  if (!previous) return <p class="compared quiet">No earlier approved call of this tool to compare with.</p>;
  return (
    <div class="compared">
      <p>
        <b>{n === 0 ? 'Nothing differs' : `${count(n ?? 0, 'value')} ${n === 1 ? 'differs' : 'differ'}`}</b> from the last approved call
        {previous.approvedAt && (
          <>
            , <Time iso={previous.approvedAt} />
          </>
        )}
        .{!previous.isSameTool && <b class="no"> The tool was defined differently then.</b>}
      </p>
      {gone.length > 0 && (
        <p class="quiet">
          Only the earlier call had:{' '}
          {gone.map(({ path, value }) => (
            <span key={path} class="mono old">
              {path}:{' '}
              {jsonPieces(value).map((piece) => (piece.unseen === undefined ? piece.text : <span class="unseen">{piece.text}</span>))}{' '}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** The first row of each line with the text; of the exact view, each row. */
function rowsFound(rows: ReturnType<typeof argumentRows>, lines: readonly JsonLine[], view: string, wanted: string): number[] {
  const text = wanted.toLowerCase();
  const isIn = (part: string | undefined) => part !== undefined && part.toLowerCase().includes(text);
  if (view === 'exact') return rows.flatMap(({ cells }, row) => (isIn(cells.map((cell) => cell.text).join('')) ? [row] : []));
  const hits = new Set(lines.flatMap(({ key, value }, line) => (isIn(key) || isIn(value) ? [line] : [])));
  return rows.flatMap(({ line, isFirst }, row) => (isFirst && hits.has(line) ? [row] : []));
}

/** Undefined where the browser cannot tell (no TLS, and no loopback). */
function useIsProven(canonical: string, digest: string): boolean | undefined {
  const [proven, setProven] = useState<boolean>();
  useEffect(() => {
    if (!globalThis.crypto.subtle) return;
    void crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical)).then((hash) => {
      const hex = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
      setProven(hex === digest);
    });
  }, [canonical, digest]);
  return proven;
}
