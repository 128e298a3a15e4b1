import { useEffect, useRef, useState } from 'preact/hooks';
import { useDraft } from '../data/drafts.js';
import { Refusal, ask } from '../data/http.js';
import { useDeed } from '../data/use-deed.js';
import { Choice, Field } from '../view/field.js';
import { useKeys } from '../view/keys.js';
import { Shown } from '../view/shown.js';
import { Problem } from '../view/states.js';

export type Word = 'ran' | 'did-not-run';
export const words: Readonly<Record<Word, string>> = { ran: 'it ran', 'did-not-run': 'it did not run' };
const isWord = (text: unknown): text is Word => text === 'ran' || text === 'did-not-run';

interface SayProps {
  readonly callId: string;
  readonly attempt: number;
  readonly tool: string;
  readonly onSaid: (word: Word, isOwn: boolean) => void;
}

/** What somebody found out of a call, and how; asked twice, since it stands for good. */
export function Say({ callId, attempt, tool, onSaid }: SayProps) {
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
