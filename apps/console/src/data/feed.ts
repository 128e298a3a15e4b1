import { FactReader, type Note } from './fact-reader.js';
import { isSignedOut } from './http.js';
import { store } from './store.js';

/** `live`: facts arrive as they are written. `polling`: pages ask now and then. `away`: the server does not answer. */
export type FeedState = 'starting' | 'live' | 'polling' | 'away';

export const feedState = store<FeedState>('starting');
export const lastNote = store<Note | undefined>(undefined);

type Told = (notes: readonly Note[]) => void;
const followers = new Set<Told>();

/** Told of facts, a few at a time. */
export function followFacts(told: Told): () => void {
  followers.add(told);
  return () => followers.delete(told);
}

type Message = { readonly kind: 'notes'; readonly notes: readonly Note[] } | { readonly kind: 'state'; readonly state: FeedState } | { readonly kind: 'hello' };

/** Nothing of a busy host that no page shows as it comes: renewals, steps, single requests. */
const TYPES =
  'consent.*,turn.claimed,turn.paused,turn.completed,turn.failed,turn.lapsed,tool-call.*,tool-session.*,session.*,freeze.*,grant.*';
const AGAIN_MS = 3000;
const ROLES_AGAIN_MS = 60_000;
const TOGETHER_MS = 100;

/** The one who reads the stream: one tab of a browser, which tells the others. */
let channel: BroadcastChannel | undefined;
let isReader = false;

/**
 * Begins to follow the log, once for a page. The tabs of a browser share one connection: whoever holds the lock reads, and the next
 * takes over when that tab is gone. Where a browser has no locks (no TLS, and no loopback), pages poll.
 */
export function startFeed(): void {
  if (!('locks' in navigator) || !('BroadcastChannel' in globalThis)) return feedState.set('polling');
  channel = new BroadcastChannel('doorledger-facts');
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') return isReader && say({ kind: 'state', state: feedState.get() });
    if (data.kind === 'state') return feedState.set(data.state);
    tell(data.notes);
  };
  say({ kind: 'hello' });
  void navigator.locks.request('doorledger-facts', async () => {
    isReader = true;
    await readOn();
  });
}

const say = (message: Message): void => channel?.postMessage(message);

function tell(notes: readonly Note[]): void {
  lastNote.set(notes.at(-1));
  for (const told of followers) told(notes);
}

function turn(state: FeedState): void {
  feedState.set(state);
  say({ kind: 'state', state });
}

async function readOn(): Promise<never> {
  let id: string | undefined;
  for (;;) {
    let wait = AGAIN_MS;
    try {
      const headers = { accept: 'text/event-stream', ...(id !== undefined && { 'last-event-id': id }) };
      const response = await fetch(`/v1/stream?type=${TYPES}`, { headers, credentials: 'same-origin', cache: 'no-store' });
      if (response.ok && response.body) {
        turn('live');
        await readAll(response.body, (next) => (id = next));
        turn('away');
        wait = 0;
      } else {
        // Roles may change, and a stream that is full has room again: pages ask until then.
        if (response.status === 401) isSignedOut.set(true);
        if (response.status === 400) id = undefined;
        if (response.status === 403) wait = ROLES_AGAIN_MS;
        turn('polling');
      }
    } catch {
      turn('away');
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(wait, 250)));
  }
}

async function readAll(body: ReadableStream<Uint8Array>, at: (id: string) => void): Promise<void> {
  const reader = new FactReader();
  let waiting: Note[] = [];
  const pass = () => {
    const notes = waiting;
    waiting = [];
    if (notes.length === 0) return;
    tell(notes);
    say({ kind: 'notes', notes });
  };
  const text = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  for (;;) {
    const { value, done } = await text.read();
    if (done) return pass();
    const { notes, id } = reader.read(value);
    if (id !== undefined) at(id);
    if (notes.length > 0 && waiting.length === 0) setTimeout(pass, TOGETHER_MS);
    waiting.push(...notes);
  }
}
