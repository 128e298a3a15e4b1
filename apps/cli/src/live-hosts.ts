import { topics } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';

/** A host says that it is there every 10 s. */
const SILENT_AFTER_MS = 30_000;
/** The newest records of `system`: what a great many hosts say within that time. */
const LOOKED_AT = 10_000;

export interface LiveHost {
  readonly hostId: string;
  /** The newest fold its release knows (L8). */
  readonly foldVersion: number;
}

/** The hosts that said within the last 30 s that they are there, and not since that they stop. `now`: epoch ms. */
export async function liveHosts(log: EventLog, now: number): Promise<LiveHost[]> {
  const { name } = topics.system;
  const starts = (await log.ends(name)).map(({ start, end }) => Math.max(start, end - LOOKED_AT));
  const alive = new Map<string, LiveHost>();
  for await (const { records } of log.read(name, starts))
    for (const { timestamp, decoded } of records) {
      const { hostId, foldVersion } = decoded.body?.data ?? {};
      if (typeof hostId !== 'string' || !decoded.type?.startsWith('host.')) continue;
      if (decoded.type === 'host.stopped' || timestamp < now - SILENT_AFTER_MS) alive.delete(hostId);
      else alive.set(hostId, { hostId, foldVersion: Number(foldVersion) });
    }
  return [...alive.values()];
}
