import type { Cluster } from './real-parts.js';

/** A process that was hit is ready again by then, whatever else is away. */
const READY_MS = 180_000;

/** @throws with what `/ready` says, when a process has ended or is not ready in time */
export async function wellAgain(cluster: Cluster, name: string): Promise<void> {
  try {
    await cluster.ready(name, READY_MS);
  } catch (error) {
    const { url } = [...cluster.hosts, ...cluster.projectors].find((node) => node.name === name)!;
    const said = await readiness(url);
    throw new Error(`${(error as Error).message} ${said.problems.join('; ')}`, { cause: error });
  }
}

export interface Readiness {
  /** 0 when the process did not answer. */
  readonly status: number;
  readonly problems: readonly string[];
}

export async function readiness(url: string): Promise<Readiness> {
  try {
    const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2000) });
    const { problems = [] } = (await answer.json()) as { problems?: string[] };
    return { status: answer.status, problems };
  } catch {
    return { status: 0, problems: [] };
  }
}
