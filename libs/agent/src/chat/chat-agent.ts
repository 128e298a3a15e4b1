import type { Agent } from '../agent.js';
import { AgentError } from '../agent-error.js';
import { ChatAnswer } from './chat-answer.js';
import { chatMessages } from './chat-messages.js';
import type { ChatAgentOptions } from './chat-options.js';
import { ChatProvider } from './chat-provider.js';
import { chatTools } from './chat-tools.js';
import { modelName } from './model-name.js';

/**
 * An agent on any API that speaks OpenAI's chat completions (L20), one request per step. Arguments of calls are handed on as the
 * text the model wrote. A step throws AgentError, never with anything in it that the provider wrote.
 */
export function chatAgent(options: ChatAgentOptions): Agent {
  const { model, system, descriptionChars = 1024 } = options;
  const provider = new ChatProvider(options);
  return {
    async *step(messages, tools, signal) {
      const answer = new ChatAnswer();
      try {
        const asked = chatMessages(messages, system, tools.length > 0);
        for await (const chunk of provider.ask(asked, chatTools(tools, descriptionChars), signal)) {
          const piece = answer.add(chunk);
          if (piece !== '') yield piece;
        }
      } catch (error) {
        // An answer that said its end is whole, whatever became of the connection then.
        if (!answer.isWhole || !isCutOff(error)) throw error;
      }
      const names = new Map(tools.map(({ name }) => [modelName(name), name]));
      const { end, rest } = answer.end(model, (name) => names.get(name) ?? name);
      if (rest !== '') yield rest;
      return end;
    },
  };
}

const isCutOff = (error: unknown): boolean => error instanceof AgentError && error.code === 'ERR_MODEL_UNAVAILABLE';
