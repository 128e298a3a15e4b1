import type { ChatCompletionFunctionTool } from 'openai/resources/chat/completions';
import type { Tool } from '../agent.js';
import { modelName } from './model-name.js';

/** @param descriptionChars past it a description is cut: one that is too long would make the API refuse every request */
export function chatTools(tools: readonly Tool[], descriptionChars: number): ChatCompletionFunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: {
      name: modelName(name),
      ...(description !== undefined && { description: cut(description, descriptionChars) }),
      parameters: parametersOf(inputSchema),
    },
  }));
}

const cut = (text: string, chars: number): string => (text.length > chars ? `${text.slice(0, chars - 1)}…` : text);

/** A tool without arguments may leave `properties` out; several APIs refuse such a schema. */
function parametersOf(schema: unknown): Record<string, unknown> {
  const given = typeof schema === 'object' && schema !== null ? schema : {};
  return { type: 'object', properties: {}, ...given };
}
