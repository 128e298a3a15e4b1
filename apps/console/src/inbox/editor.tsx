import { useMemo } from 'preact/hooks';
import { differences } from '../words/differences.js';
import { jsonLines } from '../words/json-lines.js';
import { count } from '../words/names.js';
import { problemOf } from './decide.js';

interface Props {
  readonly original: string;
  readonly edited: string;
  readonly change: (text: string) => void;
}

const focused = (element: HTMLTextAreaElement | null): void => element?.focus();

/** The arguments as somebody wants them instead; what was typed is kept until it is used. */
export function Editor({ original, edited, change }: Props) {
  const before = useMemo(() => jsonLines(original), [original]);
  const broken = problemOf(edited);
  const differing = broken === undefined ? differences(jsonLines(JSON.stringify(JSON.parse(edited), null, 2)), before).count : undefined;
  return (
    <section aria-labelledby="editor-title">
      <header class="head">
        <h2 id="editor-title">Arguments, changed by you</h2>
        <span class="quiet" role="status">
          {differing === undefined
            ? 'not JSON yet'
            : differing === 0
              ? 'nothing differs yet'
              : `${count(differing, 'value')} ${differing === 1 ? 'differs' : 'differ'} from what the agent asked`}
        </span>
        {edited !== original && (
          <button type="button" class="button small" onClick={() => change('')}>
            As the agent asked
          </button>
        )}
      </header>
      <textarea
        ref={focused}
        class="input mono editor"
        aria-label="Arguments as JSON"
        spellcheck={false}
        autocomplete="off"
        rows={Math.min(30, Math.max(8, before.length + 1))}
        value={edited}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    </section>
  );
}
