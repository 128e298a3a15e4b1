import type { ToolSessionSummary } from '../data/types.js';

/** Why tool sessions end, in words. */
export const reasons: Readonly<Record<string, string>> = {
  'call-end': 'its call settled',
  'run-end': 'the run ended',
  'session-end': 'the session was closed',
  idle: 'nothing used it for long',
  'max-age': 'it had lived long enough',
  evicted: 'another one needed its place',
  shutdown: 'its host shut down',
  revoked: 'the person’s sign-in was revoked',
  'upstream-gone': 'the server had forgotten it',
  'handle-lost': 'the connection was lost',
  'host-lost': 'its host stopped living',
};

/** How many ended why. */
export function Ended({ of, words }: { readonly of: ToolSessionSummary; readonly words: string }) {
  const most = Math.max(1, ...of.ended.map((one) => one.count));
  return (
    <section aria-labelledby="ended-title">
      <header class="head">
        <h2 id="ended-title">How they ended</h2>
        <span class="quiet">{words}</span>
      </header>
      {of.ended.length === 0 && <p class="quiet">None ended in the {words}.</p>}
      <ul class="bars">
        {of.ended.map(({ reason, count: n, failed }) => (
          <li key={reason}>
            <span>
              <span class="mono">{reason}</span> <span class="quiet">{reasons[reason]}</span>
              {failed > 0 && <span class="bad"> {failed} failed</span>}
            </span>
            <progress max={most} value={n} aria-hidden="true" />
            <span class="number">{n.toLocaleString('en')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
