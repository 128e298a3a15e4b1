import { useRef } from 'preact/hooks';
import type { ToolCallItem } from '../data/types.js';
import { usePages, type Pages } from '../data/use-pages.js';

export interface UnknownCalls extends Pages<ToolCallItem> {
  /** Those that this page has shown, also when their end is known by now. */
  readonly met: ReadonlyMap<string, ToolCallItem>;
}

const idOf = ({ callId }: ToolCallItem) => callId;
/** A run that ends leaves its calls; a late answer or a person's word settles them. */
const on = ['turn.lapsed', 'turn.claimed', 'tool-call.finished', 'tool-call.reconciled'];

/** Calls whose end nobody knows; `of`: the rest of the question, such as `&session=…`. */
export function useUnknown(of = ''): UnknownCalls {
  const pages = usePages<ToolCallItem>(`/v1/tool-calls?state=outcome-unknown&limit=50${of}`, idOf, { on, everyMs: 15_000 });
  const met = useRef(new Map<string, ToolCallItem>());
  for (const item of pages.items) met.current.set(item.callId, item);
  return { ...pages, met: met.current };
}
