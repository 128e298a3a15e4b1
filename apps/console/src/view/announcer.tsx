import { store, useStore } from '../data/store.js';

const said = store<{ readonly text: string; readonly at: number }>({ text: '', at: 0 });

/** Says a sentence to who listens, and shows it for a moment. */
export const announce = (text: string): void => said.set({ text, at: Date.now() });

export function Announcer() {
  const { text, at } = useStore(said);
  return (
    <>
      <div class="sr" role="status" aria-live="polite">
        <span key={at}>{text}</span>
      </div>
      {text !== '' && (
        <div key={at} class="toast" aria-hidden="true">
          {text}
        </div>
      )}
    </>
  );
}
