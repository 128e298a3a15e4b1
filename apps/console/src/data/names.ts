import { useEffect } from 'preact/hooks';
import { ask } from './http.js';
import { me } from './me.js';
import { store, useStore } from './store.js';

/** Ids of sessions by reference; `null` for one that is not to be told, or not named yet. */
const known = store<ReadonlyMap<string, string | null>>(new Map());

const AT_ONCE = 100;
const TOGETHER_MS = 50;
/** A session that is new is named a moment later than it is listed. */
const AGAIN_MS = 30_000;

let wanted = new Set<string>();
const askedAt = new Map<string, number>();

/** What a session is called, where it is one's own (O8); undefined until that is known, and where it is not. */
export function useSessionName(ref: string | undefined): string | undefined {
  const names = useStore(known);
  useEffect(() => {
    if (ref !== undefined) want(ref);
  }, [ref]);
  return (ref === undefined ? undefined : names.get(ref)) ?? undefined;
}

function want(ref: string): void {
  const isAsked = Date.now() - (askedAt.get(ref) ?? -Infinity) < AGAIN_MS;
  if (typeof known.get().get(ref) === 'string' || isAsked || !/^[0-9a-f]{32}$/.test(ref)) return;
  askedAt.set(ref, Date.now());
  if (wanted.size === 0) setTimeout(() => void resolve(), TOGETHER_MS);
  wanted.add(ref);
}

async function resolve(): Promise<void> {
  const all = [...wanted];
  wanted = new Set();
  const who = me.get();
  if (!who?.open && !who?.signedIn) return;
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const refs = all.slice(at, at + AT_ONCE);
    // Without an answer the references stand as they are.
    const answer = await ask<{ readonly sessions: Readonly<Record<string, string>> }>(`/v1/names?sessions=${refs.join()}`).catch(() => undefined);
    if (!answer) return;
    known.set(new Map([...known.get(), ...refs.map((ref) => [ref, answer.sessions[ref] ?? null] as const)]));
  }
}
