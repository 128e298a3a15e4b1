import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoDoor } from './demo-door.js';

const CATCH_UP_MS = 5_000;

/** What the ledger says once it has read all the demo did. */
export interface Shown {
  readonly requests: number;
  /** Requests for consent by state. */
  readonly consents: Readonly<Record<string, number>>;
  readonly outcomeUnknown: number;
  readonly censusAddsUp: boolean;
}

export async function shownBy(door: DemoDoor): Promise<Shown> {
  const requests = [...door.answers.values()].reduce((sum, count) => sum + count, 0);
  await caughtUp(door);
  const consents: Record<string, number> = {};
  for (const { state } of await all(door, '/v1/consents')) consents[String(state)] = (consents[String(state)] ?? 0) + 1;
  const { body } = await door.send({ path: '/v1/census/check' });
  return {
    requests,
    consents,
    outcomeUnknown: (await all(door, '/v1/tool-calls?state=outcome-unknown')).length,
    censusAddsUp: body.addsUp === true,
  };
}

async function all(door: DemoDoor, path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const items: Readonly<Record<string, unknown>>[] = [];
  for (let next: string | undefined = ''; next !== undefined;) {
    const cursor: string = next && `&cursor=${encodeURIComponent(next)}`;
    const { body } = await door.send({ path: `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}` });
    items.push(...(body.items as typeof items));
    next = body.cursor as string | undefined;
  }
  return items;
}

/** Until the ledger has read what the log held a moment ago. */
async function caughtUp(door: DemoDoor): Promise<void> {
  for (const end = Date.now() + CATCH_UP_MS; Date.now() < end; await sleep(50)) {
    const { body } = await door.send({ path: '/v1/log' });
    if (body.lag === 0) return;
  }
}
