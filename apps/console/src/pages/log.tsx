import { me, operates } from '../data/me.js';
import { useStore } from '../data/store.js';
import type { LogStatus, QuarantinedRecord, TopicStatus } from '../data/types.js';
import { useAnswer } from '../data/use-answer.js';
import { usePages } from '../data/use-pages.js';
import { Icon } from '../view/icon.js';
import { AsOf, Chip, Command, Digest, More, Place } from '../view/small.js';
import { Loading, Problem } from '../view/states.js';
import { count } from '../words/names.js';
import { CheckNow } from './check-now.js';
import { Freezes } from './freezes.js';

const holds: Readonly<Record<string, string>> = {
  session: 'truth: turns, consents, calls',
  'tool-session': 'truth: tool sessions',
  ingress: 'truth: how doors answered',
  spend: 'truth: spent ids, grants',
  system: 'truth: hosts, freezes, reads',
  private: 'ciphertext only',
  consent: 'derived: a public feed',
};

const kindOf = (topic: string): string => topic.replace(/^doorledger\./, '').replace(/\.v\d+$/, '');
const sumOf = (topic: TopicStatus, field: 'end' | 'applied' | 'start'): number =>
  topic.partitions.reduce((sum, one) => sum + one[field], 0);
const recordId = ({ position }: QuarantinedRecord) => position;

/** Whether what the console shows can be trusted, and how to stop things. */
export function LogPage() {
  const who = useStore(me);
  const status = useAnswer<LogStatus>('/v1/log', { everyMs: 3000, takesAt: false });
  const { data } = status;
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1>Log</h1>
          <p>
            {data && <Sentence of={data} />} <AsOf at={status.asOf} />
          </p>
        </div>
      </header>
      {who && operates(who) && <Freezes />}
      {status.problem ? (
        <Problem of={status.problem} what="The log’s state cannot be shown, and an old one is not shown instead." again={status.again} />
      ) : !data ? (
        <Loading what="The log’s state" />
      ) : (
        <>
          {data.problems.map((problem) => (
            <p key={problem} class="problem">
              <b>
                <Icon name="warn" small /> {problem}
              </b>
            </p>
          ))}
          <section aria-labelledby="topics-title">
            <header class="head">
              <h2 id="topics-title">Topics</h2>
              <span class="quiet">
                log <Digest of={data.place} label="log’s identity" />
              </span>
            </header>
            <Topics of={data.topics} />
          </section>
          <CheckNow />
          <div class="columns">
            <Generation of={data} />
            <Quarantine count={data.quarantined} />
          </div>
        </>
      )}
    </div>
  );
}

function Sentence({ of }: { readonly of: LogStatus }) {
  return (
    <>
      <b>{of.lag === 0 ? 'The ledger has read all of the log.' : `The ledger is ${count(of.lag, 'record')} behind the log.`}</b>{' '}
      {of.digest === undefined ? 'No replay has checked it yet.' : `The last replay built generation ${of.digest.generation}.`}{' '}
      {of.quarantined === 0 ? 'No record is in quarantine.' : `${count(of.quarantined, 'record is', 'records are')} in quarantine.`}
    </>
  );
}

const Topics = ({ of }: { readonly of: readonly TopicStatus[] }) => (
  <div class="table-wrap">
    <table class="table">
      <thead>
        <tr>
          <th>Topic</th>
          <th class="wide">Holds</th>
          <th class="number wide">Partitions</th>
          <th class="number">End</th>
          <th class="number">Applied</th>
          <th class="number">Lag</th>
        </tr>
      </thead>
      <tbody>
        {of.map((topic) => (
          <tr key={topic.topic}>
            <td class="mono">{topic.topic}</td>
            <td class="wide">{holds[kindOf(topic.topic)] ?? ''}</td>
            <td class="number wide">{topic.partitions.length}</td>
            <td class="number">{sumOf(topic, 'end').toLocaleString('en')}</td>
            <td class="number">{sumOf(topic, 'applied').toLocaleString('en')}</td>
            <td class={topic.lag > 0 ? 'number no' : 'number quiet'}>
              <b>{topic.lag.toLocaleString('en')}</b>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function Generation({ of }: { readonly of: LogStatus }) {
  const { digest, generation } = of;
  return (
    <section aria-labelledby="generation-title">
      <header class="head">
        <h2 id="generation-title">Generation {generation}</h2>
        {digest === undefined ? (
          <Chip icon="unknown" tone="off">
            not replayed yet
          </Chip>
        ) : (
          <Chip icon="check" tone="ok">
            replayed
          </Chip>
        )}
      </header>
      {digest === undefined ? (
        <p class="quiet">
          The ledger can be built anew from the log beside this one; both then have one digest, or the command says what differs:
        </p>
      ) : (
        <dl class="facts">
          <div>
            <dt>Digest of the last replay</dt>
            <dd>
              <Digest of={digest.sha256} />
            </dd>
            <dd class="quiet">
              {count(digest.rows, 'row')}, generation {digest.generation}
            </dd>
          </div>
        </dl>
      )}
      <Command text="npx doorledger replay" />
    </section>
  );
}

function Quarantine({ count: n }: { readonly count: number }) {
  const pages = usePages<QuarantinedRecord>(n > 0 ? '/v1/log/quarantine?limit=20' : undefined, recordId, {
    everyMs: 30_000,
    takesAt: false,
  });
  return (
    <section aria-labelledby="quarantine-title">
      <header class="head">
        <h2 id="quarantine-title">Quarantine</h2>
        <span class="quiet">what nobody can read counts as nothing</span>
      </header>
      {n === 0 ? (
        <p class="quiet">
          <span class="ok">
            <Icon name="check" small />
          </span>{' '}
          Every record so far could be read.
        </p>
      ) : pages.problem ? (
        <Problem of={pages.problem} what="The quarantine cannot be shown." again={pages.again} />
      ) : (
        <ul class="failed">
          {pages.items.map(({ position, type, why }) => (
            <li key={position}>
              <Place of={position} /> {type !== undefined && <span class="mono">{type}</span>} {why}
            </li>
          ))}
        </ul>
      )}
      <More of={pages} />
      {n > 0 && <p class="quiet">Mend what wrote them, then replay.</p>}
    </section>
  );
}
