import type { Agent, CallAsk, Message, StepEnd } from './agent.js';

const CALL = /^\/call\s+(\S+)\s*(.*)$/s;

/**
 * The deterministic agent without a model (L20). Plain text comes back as it was sent; each line `/call server.tool {json}`
 * is a tool call, all lines of a message in one step, and their results are the answer.
 */
export const commandAgent: Agent = {
  async *step(messages) {
    const end = answer(messages);
    if (end.text !== '') yield end.text;
    return end;
  },
};

function answer(messages: readonly Message[]): StepEnd {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { text: resultsOf(messages) };
  const text = last?.text ?? '';
  const calls = text.split('\n').map(callOf);
  return calls.every((call) => call !== undefined) ? { text: '', calls } : { text };
}

function callOf(line: string): CallAsk | undefined {
  const [, name, json] = CALL.exec(line) ?? [];
  return name === undefined ? undefined : { name, args: json || '{}' };
}

/** The results since the last message that is none, in the order of their calls. */
function resultsOf(messages: readonly Message[]): string {
  const from = messages.findLastIndex(({ role }) => role !== 'tool') + 1;
  return messages
    .slice(from)
    .map(({ text }) => text)
    .join('\n');
}
