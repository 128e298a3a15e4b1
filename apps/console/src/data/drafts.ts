import { useCallback, useState } from 'preact/hooks';

/** What somebody typed, kept in this tab until it is used: signing in, a reload or a failure loses none of it. */
export function useDraft(name: string): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState<{ name: string; text: string }>({ name, text: read(name) });
  const set = useCallback(
    (text: string) => {
      setDraft({ name, text });
      write(name, text);
    },
    [name],
  );
  return [draft.name === name ? draft.text : read(name), set];
}

const read = (name: string): string => sessionStorage.getItem(`draft:${name}`) ?? '';

function write(name: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(`draft:${name}`);
    else sessionStorage.setItem(`draft:${name}`, text);
  } catch {
    // Too long to keep: it stays on the page.
  }
}
