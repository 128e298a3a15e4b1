import OpenAI, { OpenAIError } from 'openai';
import { Stream } from 'openai/core/streaming';
import type { ChatCompletionChunk, ChatCompletionFunctionTool, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { AgentError } from '../agent-error.js';
import { failureOf } from './chat-failure.js';
import type { ChatAgentOptions } from './chat-options.js';
import { Exchange, type ExchangeBounds } from './exchange.js';
import { tryAgain } from './try-again.js';

/** The chat completions API of a provider. Nothing of the environment speaks in: an address, key or project comes from the settings. */
export class ChatProvider {
  readonly #client: OpenAI;
  readonly #options: ChatAgentOptions;
  readonly #bounds: ExchangeBounds;

  constructor(options: ChatAgentOptions) {
    const { baseUrl, apiKey, headers, timeoutMs = 120_000, maxAnswerBytes = 32 * 1024 * 1024 } = options;
    this.#options = options;
    this.#bounds = { timeoutMs, maxAnswerBytes };
    this.#client = new OpenAI({
      baseURL: baseUrl,
      apiKey: apiKey ?? 'none',
      defaultHeaders: { ...(apiKey === undefined && { Authorization: null }), ...headers },
      adminAPIKey: null,
      organization: null,
      project: null,
      maxRetries: 0,
      // Its log lines quote what a provider wrote.
      logLevel: 'off',
      // The exchange's own bound comes first.
      timeout: 2 * timeoutMs,
      // A conversation is sent to the address in the settings and to nobody whom that one names.
      fetchOptions: { redirect: 'manual' },
      fetch: fetchWithoutRefusals,
    });
  }

  /**
   * The answer in chunks as they come; a provider's word for their shape is not taken.
   * @throws AgentError; at once, what `signal` was aborted with
   */
  async *ask(
    messages: ChatCompletionMessageParam[],
    tools: ChatCompletionFunctionTool[],
    signal: AbortSignal,
  ): AsyncGenerator<ChatCompletionChunk, void> {
    const { model, temperature, maxTokens, extra } = this.#options;
    const body = {
      ...extra,
      model,
      messages,
      ...(tools.length > 0 && { tools }),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      stream: true,
      stream_options: { include_usage: true },
    } as const;
    const { exchange, response } = await tryAgain(() => this.#send(body, signal), signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw failureOf(error);
    });
    try {
      yield* Stream.fromSSEResponse<ChatCompletionChunk>(exchange.watched(response), exchange.controller, this.#client);
      // The package ends an aborted stream as if it were whole.
      exchange.throwIfEnded();
    } catch (error) {
      exchange.throwIfEnded();
      throw failureOf(error);
    } finally {
      exchange.close();
    }
  }

  async #send(body: OpenAI.ChatCompletionCreateParamsStreaming, signal: AbortSignal): Promise<{ exchange: Exchange; response: Response }> {
    const exchange = new Exchange(signal, this.#bounds);
    try {
      const response = await this.#client.chat.completions.create(body, { signal: exchange.controller.signal }).asResponse();
      return { exchange, response };
    } catch (error) {
      exchange.close();
      exchange.throwIfEnded();
      if (error instanceof OpenAIError) throw error;
      throw new AgentError('ERR_MODEL_REFUSED', 'The request cannot be written. Look at model.baseUrl, model.apiKey and model.headers.');
    }
  }
}

/** What a provider says in a refusal is not read: it may be long, and may quote the conversation or the key. */
async function fetchWithoutRefusals(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.ok) return response;
  await response.body?.cancel();
  const { status, headers } = response;
  return new Response(null, { status, headers });
}
