import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterLoad } from './cluster-load.js';
import type { Violation } from './history.js';
import type { Answer, Headers } from './post.js';
import type { ClusterNode } from './real-parts.js';

const AT_ONCE = 12;
/** A run that a fault left behind stands until its lease is over. */
const LEASE_OVER_MS = 60_000;

/** A turn that a host completed in a session, and where. */
export interface Continued {
  readonly sessionId: string;
  readonly turnId: string;
  readonly position: string;
}

/** Every host goes on with every session: then its fold agrees with what all hosts wrote. */
export async function continueEverywhere(
  hosts: readonly ClusterNode[],
  load: ClusterLoad,
): Promise<{ continued: Continued[]; violations: Violation[] }> {
  const continued: Continued[] = [];
  const violations: Violation[] = [];
  for (const { name, url } of hosts)
    await inParallel([...load.sessions], async (sessionId) => {
      const answer = await untilServed(url, sessionId, load);
      if (answer.status === 200) continued.push({ sessionId, turnId: answer.turnId!, position: answer.position! });
      else violations.push({ rule: 'L5', what: `${name} cannot go on with ${sessionId}: ${answer.status} ${answer.text.slice(0, 200)}` });
    });
  return { continued, violations };
}

async function untilServed(url: string, sessionId: string, load: ClusterLoad): Promise<Answer> {
  for (const end = Date.now() + LEASE_OVER_MS; ; await sleep(500)) {
    const answer = await load.ask(url, 'and on', sessionId);
    if (answer.status === 200 || Date.now() > end) return answer;
  }
}

/** The ledger of every projector knows every one of these turns, at the position that the host answered with. */
export async function ledgersAgree(
  projectors: readonly ClusterNode[],
  continued: readonly Continued[],
  headers: Headers,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const ask = async (url: string) => {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(60_000) });
    return { status: answer.status, body: (await answer.json()) as { status?: string; turnId?: string; items?: unknown[] } };
  };
  for (const { name, url } of projectors)
    await inParallel(continued, async ({ sessionId, turnId, position }) => {
      const turn = await ask(`${url}/v1/turns/${turnId}?at=${position}`);
      if (turn.status !== 200 || turn.body.status !== 'completed')
        violations.push({
          rule: 'P3',
          what: `${name} says of the turn ${turnId} at ${position}: ${turn.status} ${turn.body.status ?? ''}`,
        });
      const timeline = await ask(`${url}/v1/sessions/${sessionId}/timeline?limit=1`);
      if (timeline.status !== 200) violations.push({ rule: 'L9', what: `${name} does not know ${sessionId}: ${timeline.status}` });
    });
  return violations;
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
