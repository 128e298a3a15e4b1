/** What was said so far, oldest first. */
export type Message = { readonly role: 'user'; readonly text: string } | { readonly role: 'assistant'; readonly text: string };

/** How a step ended: the answer. */
export interface StepEnd {
  readonly text: string;
}

/**
 * The agent port (spec 6). One step at a time and no hidden state: everything the next step needs is in the messages.
 * A step yields pieces of text as they come and returns how it ended; it stops soon after `signal` aborts.
 */
export interface Agent {
  step(messages: readonly Message[], signal: AbortSignal): AsyncGenerator<string, StepEnd>;
}
