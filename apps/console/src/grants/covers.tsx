import { coversOf, type Schema } from '../words/grant.js';
import { Shown } from '../view/shown.js';

const says = { exactly: 'exactly', 'at most': 'any number from', any: 'any' } as const;

/** What a pattern of arguments lets through: in words where it can be put in words, and as it is. */
export function Covers({ pattern }: { readonly pattern: Schema }) {
  const covers = coversOf(pattern);
  return (
    <>
      {covers && (
        <ul class="covers">
          {covers.map(({ name, says: how, value }) => (
            <li key={name} class={how === 'exactly' ? undefined : 'loose'}>
              <Shown text={name} mono /> <span class="quiet">{says[how]}</span> <Shown text={value} mono />
            </li>
          ))}
          <li class="quiet">{covers.length === 0 ? 'No arguments at all.' : 'Each of them has to be there, and no other one.'}</li>
        </ul>
      )}
      <details open={!covers}>
        <summary>The pattern itself, a JSON Schema</summary>
        <pre tabIndex={0} aria-label="The pattern">
          {JSON.stringify(pattern, null, 2)
            .split('\n')
            .map((line, at) => (
              <div key={at}>
                <Shown text={line} />
              </div>
            ))}
        </pre>
      </details>
    </>
  );
}
