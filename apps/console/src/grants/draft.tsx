import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Choice, Field } from '../view/field.js';
import { Shown } from '../view/shown.js';
import {
  PERIODS,
  choiceName,
  choiceOf,
  choicesOf,
  draftProblem,
  patternOf,
  periodName,
  type GrantDraft,
  type Loose,
} from '../words/grant.js';
import { Covers } from './covers.js';

interface Props {
  readonly tool: string;
  /** Whose calls. */
  readonly person: ComponentChildren;
  readonly args: Readonly<Record<string, unknown>>;
  readonly draft: GrantDraft;
  readonly change: (draft: GrantDraft) => void;
}

/** A grant before it is given: whose calls, of which tool, with which arguments, how many and until when (N52). */
export function GrantDraftForm({ tool, person, args, draft, change }: Props) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: 'start' }), []);
  const open = Object.entries(args).filter(([, value]) => choicesOf(value).length > 1);
  const broken = draftProblem(args, draft);
  const choose = (name: string, loose: Loose) => change({ ...draft, choices: { ...draft.choices, [name]: loose } });
  return (
    <section ref={section} class="grant-draft" aria-labelledby="grant-title">
      <header class="head">
        <h2 id="grant-title">Calls that would run unasked</h2>
        <span class="quiet">beside this one; nothing is given before you confirm</span>
      </header>
      <p>
        Calls of <Shown text={tool} mono /> as it is defined now, for {person} and nobody else. Rules that deny and freezes come first, and
        anybody whom it concerns can end it at any time.
      </p>
      {open.map(([name, value]) => (
        <div key={name} class="argument">
          <Shown text={name} mono />
          <Choice
            label={`What ${name} may be`}
            of={choicesOf(value).map((choice) => [choice, choiceName(choice, value)] as const)}
            chosen={choiceOf(draft.choices, name, value)}
            choose={(loose) => choose(name, loose)}
          />
        </div>
      ))}
      <div class="bounds">
        <Field label="How many calls, 1 to 1000" value={draft.count} change={(count) => change({ ...draft, count })} />
        <label class="field">
          <span class="label">Until</span>
          <select
            class="input"
            value={draft.period}
            onChange={({ currentTarget }) => change({ ...draft, period: Number(currentTarget.value) })}
          >
            {PERIODS.map((period) => (
              <option key={period} value={period}>
                {periodName(period)} from now
              </option>
            ))}
          </select>
        </label>
      </div>
      {broken === undefined ? (
        <>
          <h3>It would cover</h3>
          <Covers pattern={patternOf(args, draft.choices)} />
        </>
      ) : (
        <p class="no">{broken}</p>
      )}
    </section>
  );
}
