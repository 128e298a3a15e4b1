import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useDraft } from '../data/drafts.js';
import { Refusal } from '../data/http.js';
import { Problem } from '../view/states.js';
import { Digest } from '../view/small.js';
import { useKeys } from '../view/keys.js';
import { decide, problemOf, type Deed, type Said } from './decide.js';

interface Props {
  readonly requestId: string;
  readonly tool: string;
  /** For whom the call acts. */
  readonly person: ComponentChildren;
  readonly digest: string | undefined;
  /** Why this person cannot approve or decline; absent for who can. */
  readonly barred?: string | undefined;
  /** The arguments as they would be edited; absent where they are not to be seen. */
  readonly args: string | undefined;
  readonly onEditing: (isEditing: boolean) => void;
  readonly edited: string;
  readonly onSaid: (said: Said, deed: Deed) => void;
}

const names: Readonly<Record<Deed, string>> = { approve: 'Approve', change: 'Approve with changes', decline: 'Decline', close: 'Close' };

/** Always in sight. A decision takes two different keys, and its confirm says again what it does. */
export function ActionBar(props: Props) {
  const { requestId, tool, person, digest, barred, args, onEditing, edited, onSaid } = props;
  const [deed, setDeed] = useState<Deed>();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<Refusal>();
  const [note, setNote] = useDraft(`note:${requestId}`);
  const buttons = useRef<Partial<Record<Deed, HTMLButtonElement | null>>>({});
  const first = useRef<HTMLElement | null>(null);
  const came = useRef<Deed | undefined>(undefined);

  const begin = (next: Deed) => {
    if (isSending || (barred !== undefined && next !== 'close') || (args === undefined && next !== 'close')) return;
    came.current = next;
    setProblem(undefined);
    setDeed(next);
    onEditing(next === 'change');
  };
  const leave = () => {
    setDeed(undefined);
    setProblem(undefined);
    onEditing(false);
  };
  // Before the next key can come.
  useLayoutEffect(() => {
    if (deed) first.current?.focus();
    else if (came.current) buttons.current[came.current]?.focus();
  }, [deed]);
  useKeys({
    ...(!deed && { a: () => begin('approve'), e: () => begin('change'), d: () => begin('decline'), c: () => begin('close') }),
    ...(deed && !isSending && { Escape: leave }),
  });

  const send = async (event: Event) => {
    event.preventDefault();
    if (!deed || isSending) return;
    setSending(true);
    setProblem(undefined);
    try {
      const said = await decide(requestId, deed, { note, args: edited });
      setNote('');
      onSaid(said, deed);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setProblem(error);
    } finally {
      setSending(false);
    }
  };

  const broken = deed === 'change' ? problemOf(edited) : undefined;
  const unchanged = deed === 'change' && args !== undefined && edited === args;
  if (deed)
    return (
      <form class="actions" aria-label={`${names[deed]}: confirm`} onSubmit={(event) => void send(event)}>
        <p>
          <Meaning deed={deed} tool={tool} person={person} />
          {digest !== undefined && deed === 'approve' && (
            <>
              {' '}
              Digest <Digest of={digest} />.
            </>
          )}
        </p>
        {deed !== 'close' && (
          <label class="field">
            <span class="label">{deed === 'decline' ? 'Why not? The agent is told.' : 'A note for the agent, if you like.'}</span>
            <input
              ref={(element) => {
                if (deed === 'decline') first.current = element;
              }}
              class="input"
              value={note}
              maxLength={1000}
              autocomplete="off"
              onInput={({ currentTarget }) => setNote(currentTarget.value)}
            />
          </label>
        )}
        {problem && <Problem of={problem} what={`${names[deed]} did not go through.`} />}
        {broken !== undefined && <p class="no">{broken}</p>}
        <div class="buttons">
          <button
            ref={(element) => {
              if (deed === 'approve' || deed === 'close') first.current = element;
            }}
            type="submit"
            class={deed === 'decline' || deed === 'close' ? 'button' : 'button primary'}
            disabled={isSending || broken !== undefined || unchanged}
          >
            {isSending ? 'Sending…' : wordsOf(deed, tool)} <kbd aria-hidden="true">↵</kbd>
          </button>
          <button type="button" class="button quiet" disabled={isSending} onClick={leave}>
            Back <kbd aria-hidden="true">Esc</kbd>
          </button>
        </div>
      </form>
    );
  const button = (which: Deed, text: string, key: string, look: string) => (
    <button ref={(element) => void (buttons.current[which] = element)} type="button" class={`button ${look}`} onClick={() => begin(which)}>
      {text} <kbd aria-hidden="true">{key}</kbd>
    </button>
  );
  return (
    <div class="actions" role="group" aria-label="Decide">
      {barred !== undefined ? (
        <p>{barred} You can still close it: then it never ran and never will.</p>
      ) : args === undefined ? (
        <p>Nobody approves what they do not see: without its arguments this call can only be closed.</p>
      ) : (
        <p>
          Approving runs <b class="mono">{tool}</b> once, exactly as shown, for {person}.
        </p>
      )}
      <div class="buttons">
        {barred === undefined && args !== undefined && (
          <>
            {button('approve', `Approve: run ${tool} once`, 'a', 'primary')}
            {button('decline', 'Decline…', 'd', '')}
            {button('change', 'Change…', 'e', 'quiet')}
          </>
        )}
        {button('close', 'Close…', 'c', 'quiet')}
      </div>
    </div>
  );
}

const wordsOf = (deed: Deed, tool: string): string =>
  ({
    approve: `Approve: run ${tool} once`,
    change: `Approve as changed: run ${tool} once`,
    decline: `Decline: ${tool} does not run`,
    close: 'Close: it never runs',
  })[deed];

function Meaning({ deed, tool, person }: { readonly deed: Deed; readonly tool: string; readonly person: ComponentChildren }) {
  const name = <b class="mono">{tool}</b>;
  switch (deed) {
    case 'approve':
      return (
        <>
          This runs {name} once, exactly as shown, for {person}.
        </>
      );
    case 'change':
      return (
        <>
          This closes the request and asks anew with your arguments, approved by the same word: {name} runs once with them. The agent is
          told that they are not its own.
        </>
      );
    case 'decline':
      return <>{name} does not run, and nobody can approve it any more.</>;
    case 'close':
      return <>Nobody can answer any more: {name} never ran and never will. The log proves it.</>;
  }
}
