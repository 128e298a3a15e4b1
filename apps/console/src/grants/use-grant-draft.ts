import { useMemo } from 'preact/hooks';
import { useDraft } from '../data/drafts.js';
import { readGrantDraft, type GrantDraft } from '../words/grant.js';
import type { Given } from './give.js';

interface Drafted {
  readonly args: Readonly<Record<string, unknown>>;
  readonly draft: GrantDraft;
  readonly change: (draft: GrantDraft) => void;
}

/** What somebody has in mind for calls like this one, and the grant that they gave for it in this tab. `text`: the call's arguments. */
export function useGrantDraft(requestId: string, text: string | undefined) {
  const [kept, keep] = useDraft(`grant:${requestId}`);
  const [givenText, keepGiven] = useDraft(`given:${requestId}`);
  const args = useMemo(() => (text === undefined ? undefined : (JSON.parse(text) as Drafted['args'])), [text]);
  const grant: Drafted | undefined = args && { args, draft: readGrantDraft(kept), change: (draft) => keep(JSON.stringify(draft)) };
  const given = givenText === '' ? undefined : (JSON.parse(givenText) as Given);
  const setGiven = (next: Given) => {
    keepGiven(JSON.stringify(next));
    keep('');
  };
  return { grant, given, setGiven };
}
