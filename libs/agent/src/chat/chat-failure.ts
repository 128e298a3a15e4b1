import { APIConnectionError, APIError } from 'openai';
import { AgentError } from '../agent-error.js';

/**
 * An error of the API or on the way to it in words of ours. It is not kept as a cause: its message quotes what the provider wrote,
 * which may be a piece of the conversation or of the key.
 */
export function failureOf(error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  if (error instanceof SyntaxError)
    return new AgentError('ERR_MODEL_ANSWER', 'The model answered with something that is no chat stream. Look at model.baseUrl.');
  if (error instanceof APIConnectionError) return unavailable(`The model could not be reached${codeOf(error)}.`);
  if (!(error instanceof APIError)) return unavailable(`The model's answer broke off${codeOf(error)}.`);
  const status = error.status as number | undefined;
  return status === undefined ? unavailable("The model's provider reported an error while it answered.") : ofStatus(status);
}

/** What to look at, by the status of a refusal that no other try would change. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'Look at model.name and model.extra; or the conversation or the list of tools is longer than the model takes.',
  401: 'Look at model.apiKey.',
  402: 'Look at the credit of the account that model.apiKey belongs to.',
  403: 'Look at model.apiKey, and at whether it may use model.name.',
  404: 'Look at model.baseUrl and model.name.',
  405: 'Look at model.baseUrl.',
  413: 'The conversation is longer than the model takes.',
  422: 'Look at model.name and model.extra.',
};

function ofStatus(status: number): AgentError {
  if (status === 429)
    return new AgentError('ERR_MODEL_RATE_LIMITED', "The model takes no more requests right now: its provider's rate or quota is used up.");
  if (status === 408 || status === 409 || status >= 500) return unavailable(`The model's provider answered with status ${status}.`);
  const advice = status < 400 ? 'It sends elsewhere: set model.baseUrl to its final address.' : REFUSALS[status];
  return new AgentError('ERR_MODEL_REFUSED', `The model's provider refused the request (status ${status}). ${advice ?? REFUSALS[400]}`);
}

const unavailable = (what: string): AgentError => new AgentError('ERR_MODEL_UNAVAILABLE', `${what} Try again soon.`);

/** Such as ` (ECONNREFUSED)`: the system's word, from the innermost cause that has one. */
function codeOf(error: unknown): string {
  let found = '';
  for (let cause = error, depth = 0; typeof cause === 'object' && cause !== null && depth < 5; depth++) {
    const { code, cause: inner } = cause as { code?: unknown; cause?: unknown };
    if (typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)) found = ` (${code})`;
    cause = inner;
  }
  return found;
}
