import { useState } from 'preact/hooks';
import { me, operates } from '../data/me.js';
import { useStore } from '../data/store.js';
import type { ToolCallItem } from '../data/types.js';
import { announce } from '../view/announcer.js';
import { Shown } from '../view/shown.js';
import { Time } from '../view/small.js';
import { toolName } from '../words/names.js';
import { Say, words, type Word } from './say.js';

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
