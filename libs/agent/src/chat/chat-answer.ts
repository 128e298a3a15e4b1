import { AgentError } from '../agent-error.js';
import type { CallAsk, StepEnd, Usage } from '../agent.js';

interface OpenCall {
  id?: string;
  name: string;
  args: string;
}

/** A chunk as far as it is read. It comes from outside: every field may be missing or of another kind. */
interface Chunk {
  readonly choices?: unknown;
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null;
}
interface Choice {
  readonly delta?: { readonly content?: unknown; readonly refusal?: unknown; readonly tool_calls?: unknown } | null;
  readonly finish_reason?: unknown;
}
interface CallPiece {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

const CUT = '\n\n[The answer ends here: the model reached its limit of tokens.]';

/** Puts an answer together from the chunks of its stream. */
export class ChatAnswer {
  #text = '';
  #finish?: string;
  #tokens?: Omit<Usage, 'model'>;
  #hasBegun = false;
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();

  /** The model said that it ended, and how. */
  get isWhole(): boolean {
    return this.#finish !== undefined;
  }

  /**
   * @returns the text that came with it
   * @throws AgentError `ERR_MODEL_ANSWER`
   */
  add(chunk: unknown): string {
    const { choices, usage } = (chunk ?? {}) as Chunk;
    if (usage) this.#tokens = tokensOf(usage) ?? this.#tokens;
    const [choice] = list<Choice>(choices);
    if (!choice) return '';
    this.#hasBegun = true;
    const { delta, finish_reason: finish } = choice;
    for (const piece of list<CallPiece>(delta?.tool_calls)) this.#addCall(piece);
    if (isText(finish)) this.#finish = finish;
    const said = delta?.content ?? delta?.refusal;
    if (typeof said !== 'string') return '';
    this.#text += said;
    return said;
  }

  /**
   * @param nameOf a tool's own name, by the one the model knows it under
   * @returns how the step ended, and text of it that `add` did not give yet
   * @throws AgentError where there is no whole and usable answer
   */
  end(model: string, nameOf: (name: string) => string): { end: StepEnd; rest: string } {
    if (!this.#hasBegun) throw unusable('The model answered with something that is no chat stream. Look at model.baseUrl.');
    const rest = this.#judge();
    const calls = this.#calls.map(({ name, args }): CallAsk => ({ name: nameOf(name), args: args || '{}' }));
    return {
      end: {
        text: this.#text + rest,
        ...(calls.length > 0 && { calls }),
        ...(this.#tokens && { usage: { ...this.#tokens, model } }),
      },
      rest,
    };
  }

  /** @returns what the answer lacks at its end */
  #judge(): string {
    switch (this.#finish) {
      case undefined:
      case 'error':
        throw new AgentError('ERR_MODEL_UNAVAILABLE', "The model's answer broke off. Try again soon.");
      case 'content_filter':
        throw unusable("The model's provider withheld the answer: its content filter took offence.");
      case 'length':
      case 'model_length':
        if (this.#calls.length > 0 || this.#text === '')
          throw unusable('The model reached its limit of tokens before it had said anything of use. Look at model.maxTokens.');
        return CUT;
      case 'tool_calls':
        if (this.#calls.length === 0) throw unusable('The model asked for tool calls and named none.');
    }
    if (this.#calls.some(({ name }) => name === '')) throw unusable('The model asked for a tool call without a name.');
    return '';
  }

  #addCall(piece: CallPiece): void {
    const { id } = piece;
    const { name, arguments: args } = piece.function ?? {};
    const call = this.#callOf(piece);
    if (isText(id)) call.id ??= id;
    if (isText(name)) call.name ||= name;
    if (typeof args === 'string') call.args += args;
    else if (args !== undefined && args !== null) throw unusable('The model asked for a tool call with arguments that are no text.');
  }

  /** Some providers give no index, or the same one to each call of a step: a name under another id is another call. */
  #callOf({ index, id, function: of }: CallPiece): OpenCall {
    const isCounted = typeof index === 'number';
    const open = isCounted ? this.#byIndex.get(index) : this.#calls.at(-1);
    const hasOtherId = isCounted ? isText(id) && open?.id !== undefined && id !== open.id : !isText(id) || id !== open?.id;
    if (open && !(isText(of?.name) && hasOtherId)) return open;
    const call: OpenCall = { name: '', args: '' };
    this.#calls.push(call);
    if (isCounted) this.#byIndex.set(index, call);
    return call;
  }
}

const unusable = (message: string): AgentError => new AgentError('ERR_MODEL_ANSWER', message);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const list = <T extends object>(value: unknown): T[] =>
  Array.isArray(value) ? value.filter((one): one is T => typeof one === 'object' && one !== null) : [];

function tokensOf({ prompt_tokens: input, completion_tokens: output }: NonNullable<Chunk['usage']>): Omit<Usage, 'model'> | undefined {
  return isCount(input) && isCount(output) ? { inputTokens: input, outputTokens: output } : undefined;
}
