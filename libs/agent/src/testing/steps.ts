import type { Agent, Message, StepEnd, Tool } from '../agent.js';

export interface Stepped {
  /** Text as it was told, piece by piece. */
  readonly pieces: string[];
  readonly end?: StepEnd;
  readonly error?: unknown;
}

export interface StepAsk {
  readonly messages?: readonly Message[];
  readonly tools?: readonly Tool[];
  readonly signal?: AbortSignal;
  readonly onPiece?: (piece: string) => void;
}

export const user = (text: string): Message => ({ role: 'user', text });
export const tool = (name: string, inputSchema: unknown = { type: 'object' }): Tool => ({ name, inputSchema });

/** Carries one step to its end, whatever it is. */
export async function stepOf(agent: Agent, asked: StepAsk = {}): Promise<Stepped> {
  const { messages = [user('hello')], tools = [], signal = new AbortController().signal, onPiece } = asked;
  const pieces: string[] = [];
  try {
    const step = agent.step(messages, tools, signal);
    let next = await step.next();
    for (; !next.done; next = await step.next()) {
      pieces.push(next.value);
      onPiece?.(next.value);
    }
    return { pieces, end: next.value };
  } catch (error) {
    return { pieces, error };
  }
}
