import { pieces } from '../words/unseen.js';

/** Somebody's text, as text: what cannot be seen is a chip, and its direction ends with it. */
export const Shown = ({ text, mono = false }: { readonly text: string; readonly mono?: boolean }) => (
  <bdi class={mono ? 'mono' : undefined}>
    {pieces(text).map(({ text: piece, unseen, breaks }, at) =>
      unseen === undefined ? (
        piece
      ) : (
        <span key={at}>
          <span class="unseen" title={unseen}>
            {piece}
          </span>
          {breaks && <br />}
        </span>
      ),
    )}
  </bdi>
);
