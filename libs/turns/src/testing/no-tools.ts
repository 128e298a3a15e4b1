import { openGates } from '../consent/gates.js';
import type { TurnRunnerOptions } from '../turn-runner.js';

/** A host without tool servers, rules and gates. */
export const noTools: Pick<TurnRunnerOptions, 'servers' | 'sessions' | 'gates' | 'grants' | 'logId' | 'ledger'> = {
  gates: openGates,
  grants: { covering: async () => undefined, use: async () => false },
  logId: '00000000-0000-4000-8000-000000000000',
  ledger: { turnDetail: async () => undefined },
  servers: {
    tools: () => [],
    prepare: async () => {
      throw new Error('No tool was offered.');
    },
  },
  sessions: { fire: () => 0, liveOf: () => 0 },
};
