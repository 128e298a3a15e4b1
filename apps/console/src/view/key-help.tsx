import { useEffect, useRef } from 'preact/hooks';

const keys: readonly (readonly [string, string])[] = [
  ['j  k', 'next and previous in a list; opens nothing'],
  ['Enter', 'open, or confirm'],
  ['a', 'approve (asks)'],
  ['r', 'approve and allow such calls (asks)'],
  ['e', 'approve with changes (asks)'],
  ['d', 'decline (asks)'],
  ['c', 'close (asks)'],
  ['/', 'search on this page'],
  ['g  then i c s t l', 'Inbox, Census, Sessions, Tool sessions, Log'],
  ['Esc', 'one step back'],
  ['?', 'this list'],
];

export function KeyHelp({ leave }: { readonly leave: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" onClose={leave}>
      <header>
        <h2 id="keys-title">Keys</h2>
        <form method="dialog">
          <button class="button small">Close</button>
        </form>
      </header>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">Nothing fires while you type.</p>
    </dialog>
  );
}
