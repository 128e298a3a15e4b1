import { DoorledgerError } from '@doorledger/contracts';

export type AgentErrorCode =
  'ERR_MODEL_UNAVAILABLE' | 'ERR_MODEL_RATE_LIMITED' | 'ERR_MODEL_REFUSED' | 'ERR_MODEL_ANSWER' | 'ERR_AGENT_MODULE';

/** Why an agent could not take its step. The sentence is ours: nothing that a provider or a model wrote stands in it. */
export class AgentError extends DoorledgerError {
  constructor(
    override readonly code: AgentErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(code, message, options);
  }
}
