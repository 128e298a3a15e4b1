import { useEffect, useState } from 'preact/hooks';

/** A value that several parts of the page follow. */
export interface Store<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly follow: (told: (value: T) => void) => () => void;
}

export function store<T>(first: T): Store<T> {
  let value = first;
  const followers = new Set<(value: T) => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const told of followers) told(next);
    },
    follow: (told) => {
      followers.add(told);
      return () => followers.delete(told);
    },
  };
}

export function useStore<T>({ get, follow }: Store<T>): T {
  const [value, set] = useState(get);
  useEffect(() => {
    set(() => get());
    return follow((next) => set(() => next));
  }, [get, follow]);
  return value;
}
