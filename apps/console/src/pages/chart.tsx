import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { sum, wordsOf, type OutcomeName, type Series } from '../words/census.js';
import { clock } from '../words/time.js';

const HEIGHT = 240;

interface Props {
  readonly series: Series;
  /** In the order they are stacked. */
  readonly names: readonly OutcomeName[];
  readonly windowMs: number;
}

const colourOf = (name: OutcomeName, element: Element): string => getComputedStyle(element).getPropertyValue(`--c-${name}`).trim();

/** Requests over time as stacked bars. The legend is the readout: of all, or of the window that is pointed at. */
export function Chart({ series, names, windowMs }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number>();
  const [hidden, setHidden] = useState<ReadonlySet<OutcomeName>>(new Set());
  const [theme, setTheme] = useState(0);
  const shown = useMemo(() => names.filter((name) => sum(series.counts.get(name)!) > 0), [names, series]);
  const stacked = useMemo(
    () =>
      stack(
        series,
        shown.filter((name) => !hidden.has(name)),
      ),
    [series, shown, hidden],
  );
  useEffect(() => {
    const changed = () => setTheme((n) => n + 1);
    const media = matchMedia('(prefers-color-scheme: dark)');
    media.addEventListener('change', changed);
    const watch = new MutationObserver(changed);
    watch.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      media.removeEventListener('change', changed);
      watch.disconnect();
    };
  }, []);
  useEffect(() => {
    const element = box.current!;
    const plot = new uPlot(optionsOf(element, stacked.names, windowMs, setAt), stacked.data, element);
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [stacked, windowMs, theme]);
  const toggle = (name: OutcomeName) => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const last = series.windows.length - 1;
    setAt(Math.min(last, Math.max(0, (at ?? (by > 0 ? -1 : last + 1)) + by)));
  };
  const index = at !== undefined && series.windows[at] !== undefined ? at : undefined;
  return (
    <div>
      <div
        ref={box}
        class="chart"
        tabIndex={0}
        role="img"
        aria-label={`Requests over time by outcome, ${series.windows.length} windows. Arrow keys put one window’s numbers into the list below.`}
        onKeyDown={move}
        onBlur={() => setAt(undefined)}
      />
      <div class="legend-list">
        <b>{index === undefined ? 'All shown' : clock(series.windows[index]!)}</b>
        {shown.map((name) => {
          const row = series.counts.get(name)!;
          return (
            <button key={name} type="button" aria-pressed={!hidden.has(name)} onClick={() => toggle(name)}>
              <i class={`swatch c-${name}`} />
              {wordsOf(name)} <b>{(index === undefined ? sum(row) : row[index]!).toLocaleString('en')}</b>
            </button>
          );
        })}
        {shown.length === 0 && <span class="quiet">no request of this kind</span>}
      </div>
    </div>
  );
}

/** The last series is drawn first and covers all: each is the sum of those below it. */
function stack({ windows, counts }: Series, names: readonly OutcomeName[]): { names: readonly OutcomeName[]; data: uPlot.AlignedData } {
  let below = windows.map(() => 0);
  const tops = names.map((name) => {
    const own = counts.get(name)!;
    below = below.map((n, at) => n + own[at]!);
    // Nothing is no bar, and not a flat one.
    return below.map((n, at) => (own[at] === 0 ? null : n));
  });
  return { names: [...names].reverse(), data: [windows.map((at) => at / 1000), ...tops.reverse()] };
}

function optionsOf(
  element: HTMLElement,
  names: readonly OutcomeName[],
  windowMs: number,
  onAt: (at: number | undefined) => void,
): uPlot.Options {
  const style = getComputedStyle(element);
  const [text, line, ground] = ['--tx3', '--line', '--bg'].map((name) => style.getPropertyValue(name).trim());
  const colour = (value: string | undefined) => resolved(element, value ?? '');
  const bars = uPlot.paths.bars!({ size: [0.82, 60], align: 1 });
  const font = `11px ${style.fontFamily}`;
  return {
    width: Math.max(200, element.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_, min, max) => [min, max + windowMs / 1000] },
      y: { range: (_, __, max) => [0, Math.max(4, (max || 0) * 1.08)] },
    },
    axes: [
      {
        stroke: colour(text),
        font,
        grid: { show: false },
        ticks: { show: false },
        size: 26,
        values: (_, ticks) => ticks.map((s) => clock(s * 1000).slice(0, 5)),
      },
      {
        stroke: colour(text),
        font,
        grid: { stroke: colour(line), width: 1 },
        ticks: { show: false },
        size: 44,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000],
        values: (_, ticks) => ticks.map((n) => n.toLocaleString('en')),
      },
    ],
    series: [
      {},
      ...names.map((name) => ({
        fill: colour(colourOf(name, element)),
        stroke: colour(ground),
        width: 1,
        paths: bars,
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onAt(idx ?? undefined)] },
  };
}

/** A canvas knows no `light-dark()`: the colour as this theme has it. */
function resolved(element: HTMLElement, value: string): string {
  const probe = document.createElement('i');
  probe.style.color = value;
  element.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
