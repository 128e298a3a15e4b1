export * from './agent.js';
export { commandAgent } from './command-agent.js';
