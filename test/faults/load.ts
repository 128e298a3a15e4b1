import type { Acknowledged } from './history.js';

export interface LoadOptions {
  readonly url: string;
  readonly clients: number;
  readonly random: () => number;
  readonly sessions: readonly string[];
  readonly onAcknowledged: (turn: Acknowledged) => void;
}

/** What a load heard. */
export interface LoadResult {
  /** Answers by status; 0 for a connection that broke. */
  readonly answers: Map<number, number>;
  /** Sessions whose last request never got its answer. */
  readonly cut: Set<string>;
}

/** Clients that ask for turns one after the other, some in sessions of their own, until `stop` aborts or the server is gone. */
export async function load({ url, clients, random, sessions, onAcknowledged }: LoadOptions, stop: AbortSignal): Promise<LoadResult> {
  const answers = new Map<number, number>();
  const cut = new Set<string>();
  const client = async (mine: readonly string[]) => {
    while (!stop.aborted) {
      const sessionId = random() < 0.4 ? undefined : mine[Math.floor(random() * mine.length)];
      const { status, turnId } = await ask(url, { input: 'x'.repeat(1 + Math.floor(random() * 200)), ...(sessionId && { sessionId }) });
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status === 200 && turnId) onAcknowledged({ turnId });
      if (status !== 0) continue;
      if (sessionId) cut.add(sessionId);
      return;
    }
  };
  const per = Math.ceil(sessions.length / clients);
  await Promise.all(Array.from({ length: clients }, (_, i) => client(sessions.slice(i * per, (i + 1) * per))));
  return { answers, cut };
}

/** One request; status 0 when no whole answer came. */
export async function ask(url: string, body: object): Promise<{ status: number; turnId?: string; text?: string }> {
  try {
    const response = await fetch(`${url}/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, turnId: response.headers.get('x-turn-id') ?? undefined, text };
  } catch {
    return { status: 0 };
  }
}
