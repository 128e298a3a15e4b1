import { useEffect, useRef, useState } from 'preact/hooks';
import { useDraft } from '../data/drafts.js';
import { Refusal, ask } from '../data/http.js';
import { me, operates } from '../data/me.js';
import { useStore } from '../data/store.js';
import type { ToolCallItem } from '../data/types.js';
import { useDeed } from '../data/use-deed.js';
import { announce } from '../view/announcer.js';
import { Choice, Field } from '../view/field.js';
import { useKeys } from '../view/keys.js';
import { Shown } from '../view/shown.js';
import { Time } from '../view/small.js';
import { Problem } from '../view/states.js';
import { toolName } from '../words/names.js';

type Word = 'ran' | 'did-not-run';
const words: Readonly<Record<Word, string>> = { ran: 'it ran', 'did-not-run': 'it did not run' };
const isWord = (text: unknown): text is Word => text === 'ran' || text === 'did-not-run';

interface Props {
  readonly call: ToolCallItem;
  /** Nobody knows its end yet. */
  readonly isOpen: boolean;
  /** The log holds a word on it. */
  readonly onSaid: () => void;
}

/** A call whose end nobody knows, and a person's word on it (N22). The first word on the log stands. */
export function Reconcile({ call, isOpen, onSaid }: Props) {
  const who = useStore(me);
  const [standing, setStanding] = useState<{ readonly word: Word; readonly isOwn: boolean }>();
  const { callId, attempt, dispatchedAt } = call;
  const tool = toolName(call);
  return (
    <section class="reconcile" aria-label={`What became of ${tool}`}>
      {standing ? (
        <p role="status">
          <b>
            {standing.isOwn ? 'Your word stands' : 'Somebody was first'}: {words[standing.word]}.
          </b>{' '}
          {!standing.isOwn && 'The first word counts; yours says nothing on the log. '}The session’s story has it.
        </p>
      ) : !isOpen ? (
        <p role="status">
          <b>Its end is known by now.</b> The session’s story has it.
        </p>
      ) : (
        <>
          <p>
            <b>
              Nobody knows whether <Shown text={tool} mono /> ran.
            </b>{' '}
            It was sent{' '}
            {dispatchedAt !== undefined && (
              <>
                <Time iso={dispatchedAt} withZone />
                {attempt > 1 && `, attempt ${attempt}`},{' '}
              </>
            )}
            and no answer came. It is never run again.{' '}
            {!(who && operates(who)) && 'An operator can look at the far side and say what became of it.'}
          </p>
          {who && operates(who) && (
            <Say
              callId={callId}
              attempt={attempt}
              tool={tool}
              onSaid={(word, isOwn) => {
                setStanding({ word, isOwn });
                announce(`${isOwn ? 'Your word stands' : 'Somebody was first'}: ${words[word]}.`);
                onSaid();
              }}
            />
          )}
        </>
      )}
    </section>
  );
}

interface SayProps {
  readonly callId: string;
  readonly attempt: number;
  readonly tool: string;
  readonly onSaid: (word: Word, isOwn: boolean) => void;
}

function Say({ callId, attempt, tool, onSaid }: SayProps) {
  const [kept, setWord] = useDraft(`word:${callId}`);
  const [why, setWhy] = useDraft(`why:${callId}`);
  const [isAsking, setAsking] = useState(false);
  const { isSending, problem, act, forget } = useDeed();
  const confirm = useRef<HTMLButtonElement>(null);
  const word = isWord(kept) ? kept : undefined;
  const leave = () => {
    setAsking(false);
    forget();
  };
  useEffect(() => confirm.current?.focus(), [isAsking]);
  useKeys(isAsking && !isSending ? { Escape: leave } : {});
  const said = (stands: Word, isOwn: boolean) => {
    setWord('');
    setWhy('');
    onSaid(stands, isOwn);
  };
  const send = (event: Event) => {
    event.preventDefault();
    if (!word || why.trim() === '') return;
    if (!isAsking) return setAsking(true);
    act(async () => {
      const stands = await say(callId, { verdict: word, attempt, why: why.trim() });
      said(stands ?? word, stands === undefined);
    });
  };
  return (
    <form onSubmit={send} aria-label="Say what became of it">
      {isAsking && word ? (
        <>
          <p>
            That it was you, and these words, stay on the log for ever: <Shown text={tool} mono />{' '}
            <b>{word === 'ran' ? 'ran' : 'did not run'}</b>, “<Shown text={why.trim()} />
            ”. The first word on a call stands for good. It sends nothing.
          </p>
          {problem && <Problem of={problem} what="Your word is not known to be on the log." />}
          <div class="buttons">
            <button ref={confirm} type="submit" class="button primary" disabled={isSending}>
              {isSending ? 'Sending…' : `Say that ${words[word]}`} <kbd aria-hidden="true">↵</kbd>
            </button>
            <button type="button" class="button quiet" disabled={isSending} onClick={leave}>
              Back <kbd aria-hidden="true">Esc</kbd>
            </button>
          </div>
        </>
      ) : (
        <div class="say">
          <Choice
            label="What became of it"
            of={[
              ['ran', 'It ran'],
              ['did-not-run', 'It did not run'],
            ]}
            chosen={word}
            choose={setWord}
          />
          <Field
            label="How do you know? It stays on the log for ever: no secrets"
            value={why}
            change={setWhy}
            hint="What the far side shows"
            maxLength={1000}
          />
          <button type="submit" class="button" disabled={!word || why.trim() === ''}>
            Say so…
          </button>
        </div>
      )}
    </form>
  );
}

/** What somebody said before, if so. @throws Refusal */
async function say(
  callId: string,
  body: { readonly verdict: Word; readonly attempt: number; readonly why: string },
): Promise<Word | undefined> {
  try {
    await ask(`/v1/tool-calls/${callId}/reconcile`, { method: 'POST', body: JSON.stringify(body) });
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'ERR_CALL_SETTLED' && isWord(error.details.standing)) return error.details.standing;
    throw error;
  }
}
