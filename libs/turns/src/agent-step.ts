import type { Agent, Message, StepEnd, Tool } from '@doorledger/agent';

/** Carries one step of the agent to its end, telling each piece of text. An agent that ignores its signal cannot hold the turn. */
export async function agentStep(
  agent: Agent,
  messages: readonly Message[],
  tools: readonly Tool[],
  signal: AbortSignal,
  piece?: (text: string) => void,
): Promise<StepEnd> {
  const step = agent.step(messages, tools, signal);
  for (;;) {
    const next = await raceAbort(step.next(), signal);
    if (next.done) return next.value;
    piece?.(next.value);
  }
}

async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new DOMException('The turn was stopped.', 'AbortError'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
