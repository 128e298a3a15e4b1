import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { feedState, followFacts } from './feed.js';
import { Refusal, ask, now } from './http.js';
import { useStore } from './store.js';

export interface Answer<T> {
  readonly data?: T;
  /** By the server's clock, epoch ms. */
  readonly asOf?: number;
  readonly problem?: Refusal;
  readonly isAsking: boolean;
  readonly again: () => void;
}

interface Following {
  /** Families of facts that change the answer, such as `consent.`. */
  readonly on?: readonly string[];
  /** How often to ask without a stream, in ms. */
  readonly everyMs?: number;
  /** Whether the question takes `at`, and so waits for what a fact said. */
  readonly takesAt?: boolean;
}

/** With a stream the answer is asked for anew too, but seldom. */
const SELDOM = 6;
/** Facts come in crowds. */
const APART_MS = 700;

/** An answer of the API that is kept fresh while somebody looks at it. */
export function useAnswer<T>(path: string | undefined, { on = [], everyMs = 5000, takesAt = true }: Following = {}): Answer<T> {
  const [answer, setAnswer] = useState<{ path?: string; data?: T; asOf?: number; problem?: Refusal }>({});
  const [isAsking, setAsking] = useState(false);
  const state = useStore(feedState);
  const asked = useRef(0);

  const load = useCallback(
    async (at?: string) => {
      if (path === undefined) return;
      const mine = ++asked.current;
      setAsking(true);
      try {
        const to = at === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}at=${encodeURIComponent(at)}`;
        const data = await ask<T>(to);
        if (mine === asked.current) setAnswer({ path, data, asOf: now() });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        // What was typed into a page outlives its sign-in.
        if (mine === asked.current) setAnswer((before) => (error.status === 401 && before.path === path ? before : { path, problem: error }));
      } finally {
        if (mine === asked.current) setAsking(false);
      }
    },
    [path],
  );

  useEffect(() => {
    void load();
    return () => void asked.current++;
  }, [load]);

  const families = on.join();
  useEffect(() => {
    if (path === undefined) return;
    let [last, timer]: [number, ReturnType<typeof setTimeout> | undefined] = [0, undefined];
    const soon = (at?: string) => {
      if (timer !== undefined || document.hidden) return;
      const wait = Math.max(0, last + APART_MS - Date.now());
      timer = setTimeout(() => {
        timer = undefined;
        last = Date.now();
        void load(takesAt ? at : undefined);
      }, wait);
    };
    const wanted = families === '' ? [] : families.split(',');
    const leave = followFacts((notes) => {
      const found = notes.findLast(({ type }) => wanted.some((family) => type.startsWith(family)));
      if (found) soon(found.position);
    });
    const every = setInterval(() => soon(), state === 'live' && wanted.length > 0 ? everyMs * SELDOM : everyMs);
    const onShown = () => document.hidden || soon();
    document.addEventListener('visibilitychange', onShown);
    return () => {
      leave();
      clearInterval(every);
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onShown);
    };
  }, [load, path, families, everyMs, takesAt, state]);

  const again = useCallback(() => void load(), [load]);
  const isOf = answer.path === path;
  return {
    ...(isOf && answer.data !== undefined && { data: answer.data }),
    ...(isOf && answer.asOf !== undefined && { asOf: answer.asOf }),
    ...(isOf && answer.problem && { problem: answer.problem }),
    isAsking,
    again,
  };
}
