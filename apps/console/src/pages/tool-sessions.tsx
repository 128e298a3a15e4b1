import { useState } from 'preact/hooks';
import { me, seesAll } from '../data/me.js';
import { useStore } from '../data/store.js';
import type { ToolSessionItem, ToolSessionSummary } from '../data/types.js';
import { useAnswer } from '../data/use-answer.js';
import { usePages } from '../data/use-pages.js';
import { Choice } from '../view/field.js';
import { Icon } from '../view/icon.js';
import { SessionLink } from '../view/session-name.js';
import { Shown } from '../view/shown.js';
import { AsOf, Chip, More, Time } from '../view/small.js';
import { Empty, Loading, Problem } from '../view/states.js';
import { percent } from '../words/census.js';
import { count } from '../words/names.js';
import { lasting } from '../words/time.js';
import { Ended, reasons } from './tool-session-ends.js';

const idOf = ({ toolSessionId, keyHash }: ToolSessionItem) => `${toolSessionId}/${keyHash}`;
const on = ['tool-session.'];

/** What is open, whether it is reused, and whether anything leaks. */
export function ToolSessionsPage() {
  const who = useStore(me);
  const isAuditor = who !== undefined && seesAll(who);
  const [since, setSince] = useState<'hour' | 'day'>('hour');
  const [server, setServer] = useState('');
  const [view, setView] = useState<'live' | 'ended'>('live');
  const summary = useAnswer<ToolSessionSummary>(isAuditor ? `/v1/tool-sessions/summary?since=${since}` : undefined, {
    on,
    everyMs: 15_000,
  });
  const ofServer = server.trim() === '' ? '' : `&server=${encodeURIComponent(server.trim())}`;
  const pages = usePages<ToolSessionItem>(`/v1/tool-sessions?state=${view}&limit=50${ofServer}`, idOf, { on, everyMs: 5000 });
  const failed = usePages<ToolSessionItem>(`/v1/tool-sessions?state=ended&limit=50${ofServer}`, idOf, { on, everyMs: 10_000 });
  const broken = failed.items.filter(({ errorClass }) => errorClass !== undefined);
  const words = since === 'hour' ? 'last hour' : 'last 24 hours';
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1>Tool sessions</h1>
          <p>
            {summary.data && <Sentence of={summary.data} words={words} />} <AsOf at={summary.asOf ?? pages.asOf} />
          </p>
        </div>
        <div class="tools">
          <input
            type="search"
            class="input"
            aria-label="Only of this tool server"
            placeholder="Tool server, exactly"
            value={server}
            onInput={({ currentTarget }) => setServer(currentTarget.value)}
          />
          {isAuditor && (
            <Choice
              label="Since when"
              of={[
                ['hour', '1 h'],
                ['day', '24 h'],
              ]}
              chosen={since}
              choose={setSince}
            />
          )}
        </div>
      </header>
      {summary.problem && <Problem of={summary.problem} what="The counts cannot be shown." again={summary.again} />}
      {summary.data && <Numbers of={summary.data} words={words} />}
      <section aria-label="Tool sessions">
        <header class="head">
          <h2>{view === 'live' ? 'Live now' : 'Ended'}</h2>
          <Choice
            label="Which tool sessions"
            of={[
              ['live', 'Live'],
              ['ended', 'Ended'],
            ]}
            chosen={view}
            choose={setView}
          />
        </header>
        {pages.problem ? (
          <Problem of={pages.problem} what="Tool sessions cannot be shown, and old ones are not shown instead." again={pages.again} />
        ) : !pages.data ? (
          <Loading what="The list" />
        ) : pages.items.length === 0 ? (
          <Empty title={view === 'live' ? 'No tool session is open.' : 'None has ended yet.'} command={TRY}>
            One is opened by the first call to a tool server, and kept for the next as its scope says. With{' '}
            <code>npm start -- --config examples/tools.config.yaml</code> this call opens one:
          </Empty>
        ) : (
          <>
            <Sessions items={pages.items} view={view} />
            <More of={pages} />
          </>
        )}
      </section>
      <div class="columns">
        {summary.data && <Ended of={summary.data} words={words} />}
        <section aria-labelledby="failed-title">
          <header class="head">
            <h2 id="failed-title">Closes that failed</h2>
            <span class="quiet">among the newest {failed.items.length} that ended</span>
          </header>
          {broken.length === 0 ? (
            <p class="quiet">
              <span class="ok">
                <Icon name="check" small />
              </span>{' '}
              None of them failed: each was closed at its server, or its server had forgotten it.
            </p>
          ) : (
            <ul class="failed">
              {broken.map((item) => (
                <li key={idOf(item)}>
                  {item.closedAt !== undefined && <Time iso={item.closedAt} />} <b>{item.server}</b>{' '}
                  <span class="mono bad">{item.errorClass}</span>
                  <small>The far side may still hold it.</small>
                </li>
              ))}
            </ul>
          )}
        </section>
      </div>
    </div>
  );
}

const TRY = `curl -s ${location.origin}/invoke -H 'content-type: application/json' \\
  -d '{"sessionId": "try", "input": "/call everything.get-sum {\\"a\\": 1, \\"b\\": 2}"}'`;

/** Calls that found a session open, of all calls. */
const reused = ({ started, calls }: ToolSessionSummary): string => percent(Math.max(0, calls - started), calls);

function Sentence({ of, words }: { readonly of: ToolSessionSummary; readonly words: string }) {
  return (
    <>
      <b>{of.live === 1 ? '1 is live' : `${of.live.toLocaleString('en')} are live`}</b>
      {of.live > 0 && <> on {count(of.hosts, 'host')}</>}
      {of.calls > 0 && (
        <>
          ; in the {words} {reused(of)} of calls found one open
        </>
      )}
      .{' '}
      {of.leaked === 0 ? (
        'None leaked: each that started has ended or is live.'
      ) : (
        <b class="bad">{count(of.leaked, 'is', 'are')} left behind by hosts that are gone.</b>
      )}
    </>
  );
}

const Numbers = ({ of, words }: { readonly of: ToolSessionSummary; readonly words: string }) => (
  <dl class="numbers">
    <div>
      <dt>Live</dt>
      <dd>{of.live.toLocaleString('en')}</dd>
    </div>
    <div>
      <dt>Started, {words}</dt>
      <dd>
        {of.started.toLocaleString('en')}
        {of.isMore && <span class="quiet"> or more; the newest are counted</span>}
      </dd>
    </div>
    <div>
      <dt>Reuse</dt>
      <dd>{of.calls === 0 ? '—' : reused(of)}</dd>
    </div>
    <div>
      <dt>Longest clean-up</dt>
      <dd>{of.longestCleanupMs === undefined ? '—' : lasting(of.longestCleanupMs)}</dd>
    </div>
    <div>
      <dt>Left behind</dt>
      <dd class={of.leaked > 0 ? 'bad' : undefined}>{of.leaked.toLocaleString('en')}</dd>
    </div>
  </dl>
);

const Sessions = ({ items, view }: { readonly items: readonly ToolSessionItem[]; readonly view: 'live' | 'ended' }) => (
  <div class="table-wrap">
    <table class="table">
      <thead>
        <tr>
          <th>Server</th>
          <th class="wide">Scope</th>
          <th class="wide">Key</th>
          <th class="wide">Host</th>
          <th>Opened by</th>
          <th class="number">Age</th>
          {view === 'live' ? <th class="number">Idle</th> : <th>Why it ended</th>}
          <th class="number">Calls</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={idOf(item)}>
            <td>
              <b>
                <Shown text={item.server ?? '?'} />
              </b>
            </td>
            <td class="wide">{item.scope}</td>
            <td class="wide mono" title={item.keyHash}>
              {item.keyHash.slice(0, 12)}
            </td>
            <td class="wide">{item.hostId}</td>
            <td>{item.sessionRef === undefined ? 'a turn without a session' : <SessionLink of={item.sessionRef} />}</td>
            <td class="number">{item.ageMs === undefined ? '' : lasting(item.ageMs)}</td>
            {view === 'live' ? (
              <td class="number">{item.idleMs === undefined ? '' : lasting(item.idleMs)}</td>
            ) : (
              <td>
                {item.errorClass === undefined ? (
                  <>
                    <span class="mono">{item.reason}</span> <span class="quiet wide">{reasons[item.reason ?? '']}</span>
                  </>
                ) : (
                  <Chip icon="warn" tone="bad">
                    {item.reason}: {item.errorClass}
                  </Chip>
                )}
              </td>
            )}
            <td class="number">{item.calls}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
