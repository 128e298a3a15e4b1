import type { StepLoopOptions } from '../step-loop.js';

/** A host without tool servers. */
export const noTools: Pick<StepLoopOptions, 'servers' | 'sessions'> = {
  servers: {
    tools: () => [],
    prepare: async () => {
      throw new Error('No tool was offered.');
    },
  },
  sessions: { fire: () => 0, liveOf: () => 0 },
};
