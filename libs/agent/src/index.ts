export * from './agent.js';
export { AgentError, type AgentErrorCode } from './agent-error.js';
export { commandAgent } from './command-agent.js';
export { moduleAgent } from './module-agent.js';
export { rulesOf, type DeclaredRule } from './rules/declared-rule.js';
export { judgeChain, type Judgement } from './rules/judge-chain.js';
export { chainOf, type JudgedCall, type Rule, type Verdict } from './rules/rule.js';
