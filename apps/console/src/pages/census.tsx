import { useMemo, useState } from 'preact/hooks';
import { now } from '../data/http.js';
import type { Census, CensusCheck, LifeCheck } from '../data/types.js';
import { useAnswer } from '../data/use-answer.js';
import { usePages } from '../data/use-pages.js';
import { Choice } from '../view/field.js';
import { Icon } from '../view/icon.js';
import { AsOf, Chip, More, useTick } from '../view/small.js';
import { Empty, Loading, Problem } from '../view/states.js';
import { OUTCOMES, causesOf, change, outcomeName, percent, seriesOf, sum, wordsOf, type OutcomeName } from '../words/census.js';
import { count } from '../words/names.js';
import { Chart } from './chart.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RANGES = {
  '1h': { ms: HOUR, window: 'minute', windowMs: MINUTE, words: 'the last hour' },
  '6h': { ms: 6 * HOUR, window: 'minute', windowMs: MINUTE, words: 'the last 6 hours' },
  '24h': { ms: 24 * HOUR, window: 'hour', windowMs: HOUR, words: 'the last 24 hours' },
} as const;
type Range = keyof typeof RANGES;

const iso = (at: number) => encodeURIComponent(new Date(at).toISOString());

const icons: Readonly<Record<OutcomeName, readonly ['cross' | 'warn' | 'check' | 'unknown', 'no' | 'bad' | 'ok' | 'off']>> = {
  'identity-refused': ['cross', 'no'],
  'admission-refused': ['cross', 'no'],
  'session-refused': ['cross', 'no'],
  'cross-site-refused': ['cross', 'no'],
  refused: ['cross', 'no'],
  'verifier-unavailable': ['warn', 'bad'],
  failed: ['warn', 'bad'],
  undecided: ['unknown', 'off'],
  served: ['check', 'ok'],
};

/** Who came, who was turned away and why, and whether it adds up. */
export function CensusPage() {
  const [range, setRange] = useState<Range>('1h');
  const [isAll, setAll] = useState(false);
  const { ms, window, windowMs, words } = RANGES[range];
  // The end of the time shown moves on in steps, so that an answer stays one.
  const tick = useTick(10_000);
  const to = Math.ceil(Math.max(tick, now()) / 10_000) * 10_000;
  const [from, before] = [to - ms, to - 2 * ms];
  const series = useAnswer<Census>(`/v1/census?by=outcome&window=${window}&from=${iso(from)}&to=${iso(to)}`, {
    everyMs: 10_000,
    takesAt: false,
  });
  const causes = useAnswer<Census>(`/v1/census?by=outcome,cause,door&from=${iso(from)}&to=${iso(to)}`, { everyMs: 10_000, takesAt: false });
  const earlier = useAnswer<Census>(`/v1/census?by=outcome,cause,door&from=${iso(before)}&to=${iso(from)}`, {
    everyMs: 60_000,
    takesAt: false,
  });
  const shown = useLast(series.data);
  const causesShown = useLast(causes.data);
  const earlierShown = useLast(earlier.data);
  const rows = useMemo(() => shown && seriesOf(shown.items, Date.parse(shown.from), Date.parse(shown.to), windowMs), [shown, windowMs]);
  const table = useMemo(() => causesOf(causesShown?.items ?? [], earlierShown?.items ?? []), [causesShown, earlierShown]);
  const problem = series.problem ?? causes.problem;
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1>Census</h1>
          <p>
            {shown && <Sentence census={shown} words={words} />} <AsOf at={series.asOf} />
          </p>
        </div>
        <div class="tools">
          <Choice
            label="Which requests"
            of={[
              ['refused', 'Not served'],
              ['all', 'All'],
            ]}
            chosen={isAll ? 'all' : 'refused'}
            choose={(next) => setAll(next === 'all')}
          />
          <Choice
            label="How long"
            of={[
              ['1h', '1 h'],
              ['6h', '6 h'],
              ['24h', '24 h'],
            ]}
            chosen={range}
            choose={setRange}
          />
        </div>
      </header>
      {problem ? (
        <Problem of={problem} what="The census cannot be shown, and an old one is not shown instead." again={series.again} />
      ) : !rows || !shown ? (
        <Loading what="The census" />
      ) : (
        <>
          <Chart series={rows} names={OUTCOMES.filter((name) => isAll || name !== 'served')} windowMs={windowMs} />
          <section aria-labelledby="causes-title">
            <h2 id="causes-title">Why requests were turned away</h2>
            {table.length === 0 ? (
              <Empty
                title={`Nobody was turned away in ${words}.`}
                command={`curl -si ${location.origin}/invoke -H 'content-type: application/json' -H 'origin: https://elsewhere.example' -d '{}'`}
              >
                A request that a door refuses is counted here by its cause. This one is refused, for it comes from another site’s page:
              </Empty>
            ) : (
              <Causes table={table} />
            )}
          </section>
          <Sums />
        </>
      )}
    </div>
  );
}

/** The answer before stays until the next is there. */
function useLast<T>(data: T | undefined): T | undefined {
  const [last, setLast] = useState(data);
  if (data !== undefined && data !== last) setLast(data);
  return data ?? last;
}

function Sentence({ census, words }: { readonly census: Census; readonly words: string }) {
  const { requests, unknown = 0, pending = 0, items } = census;
  const of = (is: (name: OutcomeName) => boolean) => sum(items.filter((item) => is(outcomeName(item))).map((item) => item.requests));
  const served = of((name) => name === 'served');
  const failed = of((name) => name === 'failed' || name === 'verifier-unavailable');
  if (requests === 0) return <>No request reached a door in {words}.</>;
  return (
    <>
      <b>{count(requests, 'request')}</b> in {words}: {percent(served, requests)} served,{' '}
      {(requests - served - failed).toLocaleString('en')} turned away, {failed.toLocaleString('en')} failed
      {unknown > 0 ? `, and of ${unknown.toLocaleString('en')} more nobody knows the end` : ''}
      {pending > 0 ? `; ${pending.toLocaleString('en')} are not on the log yet` : ''}.
    </>
  );
}

const Causes = ({ table }: { readonly table: ReturnType<typeof causesOf> }) => (
  <div class="table-wrap">
    <table class="table">
      <thead>
        <tr>
          <th>Cause</th>
          <th>Outcome</th>
          <th class="wide">Door</th>
          <th class="number">Count</th>
          <th class="number">Before</th>
        </tr>
      </thead>
      <tbody>
        {table.map((row) => (
          <tr key={`${row.cause}|${row.outcome}|${row.door}`}>
            <td class="mono">{row.cause}</td>
            <td>
              <Chip icon={icons[row.outcome][0]} tone={icons[row.outcome][1]}>
                {wordsOf(row.outcome)}
              </Chip>
            </td>
            <td class="wide">{row.door}</td>
            <td class="number">{row.count.toLocaleString('en')}</td>
            <td class="number quiet">{change(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const lifeId = ({ hostId, bootId }: LifeCheck) => `${hostId}/${bootId}`;

/** E12: recorded + counted + pending + unknown + removed = issued, for each life of a host. */
function Sums() {
  const pages = usePages<LifeCheck>('/v1/census/check?limit=50', lifeId, { everyMs: 30_000, takesAt: false });
  if (pages.problem) return <Problem of={pages.problem} what="The check cannot be shown." again={pages.again} />;
  const isSound = (pages.data as CensusCheck | undefined)?.addsUp;
  return (
    <section aria-labelledby="sums-title">
      <header class="head">
        <h2 id="sums-title">Does it add up?</h2>
        {isSound !== undefined && (
          <Chip icon={isSound ? 'check' : 'warn'} tone={isSound ? 'ok' : 'bad'}>
            {isSound ? 'it adds up' : 'it does not'}
          </Chip>
        )}
        <span class="quiet">Every request takes a place in its host’s count. Each place is accounted for.</span>
      </header>
      <ul class="sums">
        {pages.items.map((life) => (
          <li key={lifeId(life)}>
            <span class={life.addsUp ? 'ok' : 'bad'}>
              <Icon name={life.addsUp ? 'check' : 'warn'} small />
            </span>
            <span>
              <b>{life.hostId}</b>{' '}
              <span class="mono quiet" title={life.bootId}>
                {life.bootId.slice(0, 8)}
              </span>{' '}
              {life.state}: {life.recorded.toLocaleString('en')} recorded + {life.counted.toLocaleString('en')} counted +{' '}
              {life.pending.toLocaleString('en')} pending +{' '}
              <span class={life.unknown > 0 ? 'unk' : undefined}>{life.unknown.toLocaleString('en')} unknown</span>
              {life.removed > 0 ? ` + ${life.removed.toLocaleString('en')} removed` : ''} = <b>{life.issued.toLocaleString('en')} issued</b>
              {life.doubled > 0 && <b class="bad"> {life.doubled} told twice</b>}
            </span>
          </li>
        ))}
      </ul>
      <More of={pages} />
    </section>
  );
}
