const json = { 'content-type': 'application/json' };
const post = (body: string, headers: Record<string, string> = json): RequestInit => ({ method: 'POST', headers, body });

/** One request of each kind: served, refused and recorded, counted because nothing could be decided. */
const requests: readonly [path: string, init: RequestInit][] = [
  ['/invoke', post('{"input":"hello"}')],
  ['/invoke', post('{"input":"hello","sessionId":"a\\u0000b"}')],
  ['/invoke', post('{"input":""}')],
  ['/invoke', post('{')],
  ['/invoke', post('{"op":"fly"}')],
  ['/nowhere', {}],
  ['/invoke', post('{"input":"hello"}', { 'content-type': 'text/plain' })],
];

export interface MixedLoad {
  readonly url: string;
  /** Each has one request in flight. */
  readonly clients?: number;
  /** Told how many answers there are by now. */
  readonly onAnswer?: (answers: number) => void;
}

/** Clients that ask for everything by turns until `stop` aborts or the server is gone; resolves with the number of answers. */
export async function mixedLoad({ url, clients = requests.length, onAnswer = () => {} }: MixedLoad, stop: AbortSignal): Promise<number> {
  let answers = 0;
  const client = async (first: number) => {
    for (let i = first; !stop.aborted; i++) {
      const [path, init] = requests[i % requests.length]!;
      const answer = await fetch(url + path, init).catch(() => undefined);
      if (!answer) return;
      await answer.arrayBuffer().catch(() => undefined);
      onAnswer(++answers);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, first) => client(first)));
  return answers;
}

/** Loads a server until it has answered so often; then `end` ends it under load. Resolves with the number of answers. */
export async function loadUntil(load: Omit<MixedLoad, 'onAnswer'>, wanted: number, end: () => Promise<unknown>): Promise<number> {
  let ended: Promise<unknown> | undefined;
  const onAnswer = (answers: number) => {
    if (answers >= wanted) ended ??= end();
  };
  const answers = await mixedLoad({ ...load, onAnswer }, new AbortController().signal);
  await ended;
  return answers;
}
