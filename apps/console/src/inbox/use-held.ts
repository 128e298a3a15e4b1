import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ConsentItem } from '../data/types.js';
import { announce } from '../view/announcer.js';
import { count } from '../words/names.js';

const idOf = ({ requestId }: ConsentItem) => requestId;

export const endOf = ({ decideBy, spendBy }: ConsentItem): number =>
  Math.min(...[decideBy, spendBy].map((iso) => (iso === undefined ? Infinity : Date.parse(iso))));

/** What ends first stands first; what has no end stands last, the oldest before the others. */
const bySoonest = (a: ConsentItem, b: ConsentItem): number =>
  (endOf(a) === endOf(b) ? 0 : endOf(a) - endOf(b)) || (a.mintedAt ?? '').localeCompare(b.mintedAt ?? '');

/** The list as it is shown: what is new waits behind a button, and what was answered keeps its place until then. */
export function useHeld(items: readonly ConsentItem[], isKnown: boolean) {
  const [ids, setIds] = useState<readonly string[]>();
  const byId = useMemo(() => new Map(items.map((item) => [item.requestId, item])), [items]);
  const sorted = () => [...items].sort(bySoonest).map(idOf);
  const isEmpty = ids === undefined || ids.every((id) => !byId.has(id));
  const held = isKnown && isEmpty ? sorted() : (ids ?? []);
  useEffect(() => {
    if (isKnown && isEmpty) setIds(sorted());
  }, [isKnown, isEmpty, items]);
  const known = new Set(held);
  const fresh = items.filter(({ requestId }) => !known.has(requestId)).length;
  useEffect(() => {
    if (fresh > 0) announce(`${count(fresh, 'new call waits', 'new calls wait')}.`);
  }, [fresh]);
  const remembered = useRef(new Map<string, ConsentItem>());
  for (const [id, item] of byId) remembered.current.set(id, item);
  const gone = new Set(held.filter((id) => !byId.has(id)));
  return { items: held.flatMap((id) => remembered.current.get(id) ?? []), gone, fresh, show: () => setIds(sorted()) };
}
