import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Refusal } from '../data/http.js';
import { me } from '../data/me.js';
import { useStore } from '../data/store.js';
import { CopyButton } from './small.js';

/** What is true, why, and what to try. */
export const Empty = ({
  title,
  children,
  command,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly command?: string;
}) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{children}</p>
    {command !== undefined && (
      <>
        <pre tabIndex={0} aria-label="Command to try">
          {command}
        </pre>
        <CopyButton text={() => command}>Copy the command</CopyButton>
      </>
    )}
  </div>
);

/** What to do about a refusal. */
export function remedy({ status, code }: Refusal, isSignedIn: boolean): string {
  if (status === 401) return isSignedIn ? 'Your sign-in is over. Sign in again: what you typed stays.' : 'Sign in: what you typed stays.';
  if (status === 403) return 'Your sign-in does not name a role that this needs. Ask who runs the deployment.';
  if (status === 0) return 'Nothing is known of what became of it. Look whether the process runs and can be reached, then try again.';
  switch (code) {
    case 'ERR_LEDGER_BEHIND':
      return 'The ledger is behind the log. Nothing is lost: try again in a moment.';
    case 'ERR_LOG_UNAVAILABLE':
      return 'The log does not answer in time. Look at GET /ready of the host, then try again.';
    case 'ERR_NOT_FOUND':
      return 'It is not there, or not for you to see. Look at the list.';
    case 'ERR_CALL_SETTLED':
      return 'What was typed is not needed any more: the story of its session says how it ended.';
    case 'ERR_SESSION_BLOCKED':
      return 'The Sessions page names the record. Nothing of this session counts until it is mended.';
    case 'ERR_FROZEN':
      return 'An operator stopped this. The Log page says who and why.';
    default:
      return status >= 500
        ? 'This is the server’s fault. Its log lines say more; try again.'
        : 'Change what the sentence names, and try again.';
  }
}

/** A failed action or question, said where it was asked. */
export function Problem({ of, what, again }: { readonly of: Refusal; readonly what: string; readonly again?: () => void }) {
  const who = useStore(me);
  return (
    <div class="problem" role="alert">
      <p>
        <b>{what}</b> {of.message}
      </p>
      <p>
        {remedy(of, who?.signedIn ?? false)} {of.code && <span class="mono">{of.code}</span>}
      </p>
      {again && (
        <button type="button" class="button small" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

const SHOWN_AFTER_MS = 200;

/** Grey lines, once a wait is long enough to be one. */
export function Loading({ what }: { readonly what: string }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="loading" aria-busy="true" aria-label={`${what} is read`}>
      {isLong && [1, 2, 3].map((line) => <i key={line} />)}
    </div>
  );
}
