import type { Agent } from './agent.js';

/** The deterministic agent without a model (L20): plain text comes back as it was sent. */
export const commandAgent: Agent = {
  async *step(messages) {
    const text = messages.at(-1)?.text ?? '';
    yield text;
    return { text };
  },
};
