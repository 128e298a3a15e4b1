import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Agent, StepEnd } from './agent.js';
import { AgentError } from './agent-error.js';

/**
 * The agent that an ES module of the operator's exports by default (L20): an agent, or a function without parameters that makes one,
 * at once or later.
 * @param path of the module's file, from the working directory unless absolute
 * @throws AgentError `ERR_AGENT_MODULE`, with what the module threw as its cause
 */
export async function moduleAgent(path: string): Promise<Agent> {
  const file = resolve(path);
  const exported = await attempt(`The agent module ${file} could not be loaded`, () => defaultOf(file));
  const made =
    typeof exported === 'function'
      ? await attempt(`The agent module ${file} could not make its agent`, exported as () => unknown)
      : exported;
  if (!isAgent(made))
    throw problem(
      `The agent module ${file} exports no agent: its default export must have a method step(), or be a function that makes one.`,
    );
  return checked(made);
}

const defaultOf = async (file: string): Promise<unknown> => ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;

async function attempt(otherwise: string, work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (cause) {
    throw problem(`${otherwise}: ${cause instanceof Error ? cause.message : 'it threw what is no error.'}`, cause);
  }
}

const isAgent = (value: unknown): value is Agent => typeof (value as Partial<Agent> | null | undefined)?.step === 'function';

/** What types cannot promise of a module is looked at in each step. Callers may read these sentences: they name no file. */
function checked(agent: Agent): Agent {
  return {
    async *step(messages, tools, signal) {
      const step: unknown = agent.step(messages, tools, signal);
      if (!isStep(step)) throw problem('The agent module does not step: step() must be an async generator (async *step).');
      const end: unknown = yield* step;
      if (!isStepEnd(end))
        throw problem('The agent module ended a step wrongly: step() must return {text, calls?: [{name, args}], usage?}.');
      return end;
    },
  };
}

const isStep = (value: unknown): value is ReturnType<Agent['step']> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

function isStepEnd(value: unknown): value is StepEnd {
  const { text, calls = [] } = (value ?? {}) as { text?: unknown; calls?: unknown };
  return typeof text === 'string' && Array.isArray(calls) && calls.every(isCallAsk);
}

function isCallAsk(value: unknown): boolean {
  const { name, args } = (value ?? {}) as { name?: unknown; args?: unknown };
  return typeof name === 'string' && (typeof args === 'string' || (typeof args === 'object' && args !== null && !Array.isArray(args)));
}

const problem = (message: string, cause?: unknown): AgentError => new AgentError('ERR_AGENT_MODULE', message, { cause });
