export { chatAgent } from './chat-agent.js';
export type { ChatAgentOptions } from './chat-options.js';
