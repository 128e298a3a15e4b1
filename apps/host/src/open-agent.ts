import { commandAgent, moduleAgent, type Agent } from '@doorledger/agent';
import type { DoorledgerConfig } from '@doorledger/config';

/**
 * The agent of the configuration (L20). What a model needs is loaded only where one is asked.
 * @throws AgentError ERR_AGENT_MODULE
 */
export async function openAgent({ agent, model }: Pick<DoorledgerConfig, 'agent' | 'model'>): Promise<Agent> {
  if (agent.startsWith('module:')) return moduleAgent(agent.slice('module:'.length));
  if (agent !== 'chat') return commandAgent;
  const { baseUrl, apiKey, name, system, maxTokens, timeoutMs } = model;
  const { chatAgent } = await import('@doorledger/agent/chat');
  return chatAgent({
    baseUrl: baseUrl!,
    model: name!,
    timeoutMs,
    ...(apiKey !== undefined && { apiKey }),
    ...(system !== undefined && { system }),
    ...(maxTokens !== undefined && { maxTokens }),
  });
}
