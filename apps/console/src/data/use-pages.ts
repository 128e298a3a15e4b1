import { useState } from 'preact/hooks';
import { Refusal, ask } from './http.js';
import type { Page } from './types.js';
import { useAnswer, type Answer } from './use-answer.js';

export interface Pages<T> extends Answer<Page<T>> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
  readonly more: () => void;
}

/** A list: its first page stays fresh, later ones are as they were asked for. `idOf` tells items apart. */
export function usePages<T>(path: string | undefined, idOf: (item: T) => string, following: Parameters<typeof useAnswer>[1]): Pages<T> {
  const first = useAnswer<Page<T>>(path, following);
  const [rest, setRest] = useState<{ of?: string | undefined; items: readonly T[]; cursor?: string | undefined; problem?: Refusal }>({ items: [] });
  const later = rest.of === path ? rest : { items: [] };
  const hasLater = rest.of === path && rest.of !== undefined;
  const cursor = hasLater ? rest.cursor : first.data?.cursor;
  const more = () => {
    if (path === undefined || cursor === undefined) return;
    ask<Page<T>>(`${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`).then(
      (page) => setRest({ of: path, items: [...later.items, ...page.items], cursor: page.cursor }),
      (problem: unknown) => problem instanceof Refusal && setRest({ ...later, of: path, cursor, problem }),
    );
  };
  const head = first.data?.items ?? [];
  const known = new Set(head.map(idOf));
  const problem = first.problem ?? (hasLater ? rest.problem : undefined);
  return { ...first, ...(problem && { problem }), items: [...head, ...later.items.filter((item) => !known.has(idOf(item)))], hasMore: cursor !== undefined, more };
}
