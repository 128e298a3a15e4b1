import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Refusal, isSignedOut } from './data/http.js';
import { findMe, me, seesAll } from './data/me.js';
import { useStore } from './data/store.js';
import { InboxPage, waitingCount } from './inbox/page.js';
import { CensusPage } from './pages/census.js';
import { LogPage } from './pages/log.js';
import { SessionsPage } from './pages/sessions.js';
import { ToolSessionsPage } from './pages/tool-sessions.js';
import { go, hashOf, route, type PageName } from './route.js';
import { Announcer } from './view/announcer.js';
import { Icon, type IconName } from './view/icon.js';
import { KeyHelp } from './view/key-help.js';
import { useKeys } from './view/keys.js';
import { LiveFoot } from './view/live-foot.js';
import { Loading, Problem } from './view/states.js';
import { UserMenu, signInHref } from './view/user-menu.js';

interface PageEntry {
  readonly name: PageName;
  readonly title: string;
  readonly icon: IconName;
  readonly key: string;
  readonly shows: ComponentType;
  /** Its facts are nobody's own (P1). */
  readonly needsAuditor?: true;
}

const pages: readonly PageEntry[] = [
  { name: 'inbox', title: 'Inbox', icon: 'inbox', key: 'i', shows: InboxPage },
  { name: 'census', title: 'Census', icon: 'census', key: 'c', shows: CensusPage, needsAuditor: true },
  { name: 'sessions', title: 'Sessions', icon: 'sessions', key: 's', shows: SessionsPage },
  { name: 'tools', title: 'Tool sessions', icon: 'tools', key: 't', shows: ToolSessionsPage },
  { name: 'log', title: 'Log', icon: 'log', key: 'l', shows: LogPage, needsAuditor: true },
];

export function App() {
  const who = useStore(me);
  const signedOut = useStore(isSignedOut);
  const { page } = useStore(route);
  const waiting = useStore(waitingCount);
  const [problem, setProblem] = useState<Refusal>();
  const [isHelping, setHelping] = useState(false);
  const find = () => {
    setProblem(undefined);
    findMe().catch((error: unknown) => error instanceof Refusal && setProblem(error));
  };
  useEffect(find, []);
  const entry = pages.find(({ name }) => name === page)!;
  useEffect(() => {
    document.title = `${waiting ? `(${waiting}) ` : ''}${entry.title} · doorledger`;
  }, [waiting, entry]);
  useKeys({
    ...Object.fromEntries(pages.map(({ name, key }) => [`g ${key}`, () => go(name)])),
    '?': () => setHelping(true),
    '/': () => document.querySelector<HTMLInputElement>('main input[type=search]')?.focus(),
  });
  const isBarred = who !== undefined && entry.needsAuditor && !seesAll(who);
  const Shows = entry.shows;
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skip}>
        Skip to the page
      </a>
      <div class="banners">
        {who?.open && (
          <p class="banner">
            <Icon name="warn" />
            <span>
              <b>Open on loopback: nobody is checked.</b>{' '}
              <span class="further">
                Anyone on this machine can approve and freeze. Set <code>oidc.issuer</code> before others can reach it.
              </span>
            </span>
          </p>
        )}
        {signedOut && who?.open !== undefined && (who.open || who.signedIn) && (
          <p class="banner" role="alert">
            <Icon name="warn" />
            <span>
              <b>You are not signed in.</b> What you typed stays in this tab. <SignIn />
            </span>
          </p>
        )}
      </div>
      <header class="top">
        <a class="brand" href={hashOf('inbox')}>
          doorledger
        </a>
        <UserMenu />
      </header>
      <nav class="nav" aria-label="Pages">
        <ul>
          {pages
            .filter(({ needsAuditor }) => !needsAuditor || !who || seesAll(who))
            .map(({ name, title, icon }) => (
              <li key={name}>
                <a href={hashOf(name)} aria-current={name === page ? 'page' : undefined}>
                  <Icon name={icon} />
                  <span>{title}</span>
                  {name === 'inbox' && waiting !== undefined && waiting > 0 && (
                    <span class="count" aria-label={`${waiting} waiting`}>
                      {waiting}
                    </span>
                  )}
                </a>
              </li>
            ))}
        </ul>
      </nav>
      <main class="main" id="main" tabIndex={-1}>
        {problem ? (
          <div class="page">
            <Problem of={problem} what="The console cannot ask who you are." again={find} />
          </div>
        ) : !who ? (
          <div class="page">
            <Loading what="The console" />
          </div>
        ) : !who.open && !who.signedIn ? (
          <Welcome signIn={who.signIn} />
        ) : isBarred ? (
          <div class="page">
            <h1>{entry.title}</h1>
            <p>This page shows the facts of everybody. It needs the role auditor or operator, and your sign-in names neither.</p>
          </div>
        ) : (
          <Shows key={page} />
        )}
      </main>
      <footer class="foot">
        <LiveFoot />
        <button type="button" class="plain" onClick={() => setHelping(true)}>
          <kbd>?</kbd> all keys
        </button>
      </footer>
      {isHelping && <KeyHelp leave={() => setHelping(false)} />}
      <Announcer />
    </div>
  );
}

/** Nobody is signed in yet. */
const Welcome = ({ signIn }: { readonly signIn: string | undefined }) => (
  <div class="page">
    <h1>Sign in</h1>
    {signIn === undefined ? (
      <p>
        This deployment checks who comes, and its console has no way to sign in yet: set <code>signIn.clientId</code> and what belongs to it
        (docs/guides/oidc.md).
      </p>
    ) : (
      <>
        <p>What waits for people, and what happened, is shown to who may see it.</p>
        <p>
          <a class="button primary" href={signInHref()}>
            Sign in
          </a>
        </p>
      </>
    )}
  </div>
);

const SignIn = () => <a href={signInHref()}>Sign in</a>;

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
