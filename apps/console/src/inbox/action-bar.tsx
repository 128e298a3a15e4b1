import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useDraft } from '../data/drafts.js';
import { useDeed } from '../data/use-deed.js';
import { giveGrant, type Given } from '../grants/give.js';
import { GivenGrant } from '../grants/given.js';
import { hashOf } from '../route.js';
import { Problem } from '../view/states.js';
import { Digest } from '../view/small.js';
import { useKeys } from '../view/keys.js';
import { draftProblem, periodName, type GrantDraft } from '../words/grant.js';
import { count } from '../words/names.js';
import { decide, problemOf, type Deed, type Said } from './decide.js';
import { Meaning, names, wordsOf } from './meaning.js';

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
  readonly edited: string;
  /** The grant as it would be given; absent where none can stand for this call. */
  readonly grant?: { readonly args: Readonly<Record<string, unknown>>; readonly draft: GrantDraft } | undefined;
  /** One that was given with a decision which is not there yet. */
  readonly given: Given | undefined;
  readonly onGiven: (given: Given) => void;
  readonly onDeed: (deed: Deed | undefined) => void;
  readonly onSaid: (said: Said, deed: Deed) => void;
}

/** Always in sight. A decision takes two different keys, and its confirm says again what it does. */
export function ActionBar(props: Props) {
  const { requestId, tool, person, digest, barred, args, edited, grant, given, onGiven, onDeed, onSaid } = props;
  const [deed, setDeed] = useState<Deed>();
  const { isSending, problem, act, forget } = useDeed();
  const [note, setNote] = useDraft(`note:${requestId}`);
  const buttons = useRef<Partial<Record<Deed, HTMLButtonElement | null>>>({});
  const first = useRef<HTMLElement | null>(null);
  const came = useRef<Deed | undefined>(undefined);

  const begin = (next: Deed) => {
    if (isSending || (barred !== undefined && next !== 'close') || (args === undefined && next !== 'close')) return;
    if (next === 'allow' && (!grant || given)) return;
    came.current = next;
    forget();
    setDeed(next);
    onDeed(next);
  };
  const leave = () => {
    setDeed(undefined);
    forget();
    onDeed(undefined);
  };
  // Before the next key can come.
  useLayoutEffect(() => {
    if (deed) first.current?.focus();
    else if (came.current) buttons.current[came.current]?.focus();
  }, [deed]);
  useKeys({
    ...(!deed && {
      a: () => begin('approve'),
      r: () => begin('allow'),
      e: () => begin('change'),
      d: () => begin('decline'),
      c: () => begin('close'),
    }),
    ...(deed && !isSending && { Escape: leave }),
  });

  const send = (event: Event) => {
    event.preventDefault();
    if (!deed) return;
    act(async () => {
      if (deed === 'allow' && grant && !given) onGiven(await giveGrant(requestId, grant.args, grant.draft));
      const said = await decide(requestId, deed, { note, args: edited });
      setNote('');
      onSaid(said, deed);
    });
  };

  const broken = deed === 'change' ? problemOf(edited) : deed === 'allow' && grant ? draftProblem(grant.args, grant.draft) : undefined;
  const meant = deed === 'allow' && given ? 'approve' : deed;
  const unchanged = deed === 'change' && args !== undefined && edited === args;
  if (deed)
    return (
      <form class="actions" aria-label={`${names[deed]}: confirm`} onSubmit={send}>
        <p>
          <Meaning deed={meant ?? deed} tool={tool} person={person} grant={grant ? likeIt(grant.draft) : ''} />
          {digest !== undefined && (deed === 'approve' || deed === 'allow') && (
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
        {problem && (
          <Problem
            of={problem}
            what={deed === 'allow' && given ? 'The grant stands; this call is not approved.' : `${names[deed]} did not go through.`}
          />
        )}
        {problem?.status === 0 && deed === 'allow' && !given && (
          <p>
            The host may have the grant all the same: <a href={hashOf('inbox', undefined, { view: 'grants' })}>look at the grants</a> before
            you try again, or there may be two.
          </p>
        )}
        {broken !== undefined && <p class="no">{broken}</p>}
        <div class="buttons">
          <button
            ref={(element) => {
              if (deed === 'approve' || deed === 'allow' || deed === 'close') first.current = element;
            }}
            type="submit"
            class={deed === 'decline' || deed === 'close' ? 'button' : 'button primary'}
            disabled={isSending || broken !== undefined || unchanged}
          >
            {isSending ? 'Sending…' : wordsOf(meant ?? deed, tool)} <kbd aria-hidden="true">↵</kbd>
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
      {given && <GivenGrant given={given} />}
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
            {grant && !given && button('allow', 'Allow such calls…', 'r', '')}
            {button('decline', 'Decline…', 'd', '')}
            {button('change', 'Change…', 'e', 'quiet')}
          </>
        )}
        {button('close', 'Close…', 'c', 'quiet')}
      </div>
    </div>
  );
}

const likeIt = ({ count: many, period }: GrantDraft): string =>
  `up to ${count(Number(many), 'call')} like it may run within ${periodName(period)}`;
