import { setTimeout as sleep } from 'node:timers/promises';

const CAUGHT_UP_MS = 120_000;

interface CallsPage {
  readonly items: readonly { readonly callId: string; readonly status: string }[];
  readonly cursor?: string;
}

/**
 * What a ledger API says of every tool call, by callId, once it has read the whole log.
 * @throws when it does not in time
 */
export async function ledgerCalls(url: string): Promise<Map<string, string>> {
  await caughtUp(url);
  const calls = new Map<string, string>();
  let cursor: string | undefined;
  do {
    const page = await get<CallsPage>(
      `${url}/v1/tool-calls?limit=100${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    for (const { callId, status } of page.items) calls.set(callId, status);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return calls;
}

/** Resolves when a ledger API has read the whole log. @throws when it does not in time */
export async function caughtUp(url: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  for (const end = Date.now() + CAUGHT_UP_MS; Date.now() < end; await sleep(200)) {
    const { lag } = await get<{ lag?: number }>(`${url}/v1/log`, headers).catch(() => ({ lag: undefined }));
    if (lag === 0) return;
  }
  throw new Error(`The ledger of ${url} did not read the whole log within ${CAUGHT_UP_MS} ms`);
}

async function get<T>(url: string, headers: Readonly<Record<string, string>> = {}): Promise<T> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
