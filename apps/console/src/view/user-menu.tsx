import { useEffect, useRef, useState } from 'preact/hooks';
import { Refusal, ask, isSignedOut } from '../data/http.js';
import { me } from '../data/me.js';
import { useStore } from '../data/store.js';
import { Choice } from './field.js';
import { useKeys } from './keys.js';
import { Shown } from './shown.js';
import { Problem } from './states.js';

const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
type Theme = (typeof THEMES)[number][0];

const KEPT = 'doorledger.theme';
const themeOf = (kept: string | null): Theme => THEMES.find(([name]) => name === kept)?.[0] ?? 'system';

function wear(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
wear(themeOf(localStorage.getItem(KEPT)));

/** Back to where this page is. */
export const signInHref = (): string => `${me.get()?.signIn ?? '/auth/sign-in'}?to=${encodeURIComponent(`/${location.hash}`)}`;

/** Who looks at the page, how it looks, and the way out. */
export function UserMenu() {
  const who = useStore(me);
  const signedOut = useStore(isSignedOut);
  const [isOpen, setOpen] = useState(false);
  const [theme, setTheme] = useState(() => themeOf(localStorage.getItem(KEPT)));
  const [problem, setProblem] = useState<Refusal>();
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !box.current?.contains(target)) setOpen(false);
    };
    addEventListener('pointerdown', leave);
    return () => removeEventListener('pointerdown', leave);
  }, [isOpen]);
  useKeys(
    isOpen
      ? {
          Escape: () => {
            setOpen(false);
            button.current?.focus();
          },
        }
      : {},
  );
  const choose = (next: Theme) => {
    setTheme(next);
    localStorage.setItem(KEPT, next);
    wear(next);
  };
  const signOut = () => {
    ask('/auth/sign-out', { method: 'POST' }).then(
      () => location.reload(),
      (error: unknown) => error instanceof Refusal && setProblem(error),
    );
  };
  const name = who?.name ?? (who?.signedIn ? 'signed in' : undefined);
  return (
    <div class="user" ref={box}>
      <button
        ref={button}
        type="button"
        class="avatar"
        aria-expanded={isOpen}
        aria-label={name === undefined ? 'Menu: nobody is signed in' : `Menu of ${name}`}
        onClick={() => setOpen(!isOpen)}
      >
        {name === undefined ? '—' : [...name].slice(0, 2).join('').toLowerCase()}
      </button>
      {isOpen && (
        <div class="popover">
          <p>
            <b>{name === undefined ? 'Nobody is signed in' : <Shown text={name} />}</b>
            {who?.tenant !== undefined && (
              <>
                <br />
                tenant <Shown text={who.tenant} />
              </>
            )}
          </p>
          <p class="quiet">
            {who?.open
              ? 'This host checks nobody.'
              : who && who.roles.length > 0
                ? `Roles: ${who.roles.join(', ')}`
                : 'No roles are named.'}
          </p>
          <Choice label="Theme" of={THEMES} chosen={theme} choose={choose} />
          {problem && <Problem of={problem} what="You are still signed in." />}
          {who?.signedIn ? (
            <button type="button" class="button" onClick={signOut}>
              Sign out
            </button>
          ) : (
            (signedOut || who?.signIn !== undefined) && (
              <a class="button" href={signInHref()}>
                Sign in
              </a>
            )
          )}
        </div>
      )}
    </div>
  );
}
