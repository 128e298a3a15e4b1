import type { Fact } from '@doorledger/contracts';
import type { Claims, SessionView } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';

export interface RestartOptions {
  readonly hostId: string;
  /** This life of the host. */
  readonly bootId: string;
  readonly ledger: Pick<LedgerReader, 'openRunsOf'>;
  readonly view: SessionView;
  readonly claims: Claims;
}

/** L13: what a run is ended by that an earlier life of its host left behind. */
export const HOST_RESTARTED = 'HostRestarted';

const AT_ONCE = 64;

/**
 * L13: ends every standing or waiting run that an earlier life of this host left behind, so that a user's retry right after
 * a restart succeeds. Resolves with how many there were, when the fold has seen them end.
 */
export async function endEarlierRuns({ hostId, bootId, ledger, view, claims }: RestartOptions): Promise<number> {
  const keys = new Set((await ledger.openRunsOf(hostId)).map((run) => run.sessionKey));
  for (const key of view.recentKeys()) keys.add(key);
  const rest = keys.values();
  let ended = 0;
  const work = async () => {
    for (const key of rest) ended += await endRunsOf(key);
  };
  const endRunsOf = async (key: string): Promise<number> => {
    const held = await view.hold(key);
    try {
      const { run, waiting } = held.state;
      const left = [...(run ? [run] : []), ...waiting].filter((r) => r.hostId === hostId && r.bootId !== bootId);
      const facts = left.map(({ turnId, runId }): Fact => ({
        type: 'turn.failed',
        data: { turnId, runId, errorName: HOST_RESTARTED, liveToolSessions: 0 },
      }));
      if (facts.length > 0) await claims.append(key, facts);
      return facts.length;
    } finally {
      held.release();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ended;
}
