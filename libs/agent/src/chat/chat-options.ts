/** How to reach a model and what to ask it for. */
export interface ChatAgentOptions {
  /** Of the API, up to and without `/chat/completions`, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Absent where the API asks for none, as most local servers do. */
  readonly apiKey?: string;
  /** The model's name as the API knows it. It stands on the log beside the tokens it took. */
  readonly model: string;
  /** Said to the model before every conversation. */
  readonly system?: string;
  /** Left to the API unless given. */
  readonly temperature?: number;
  /** Most tokens of one step's answer, as `max_tokens`. */
  readonly maxTokens?: number;
  /** The longest silence, until an answer begins and between any two of its bytes. 120 000 ms. */
  readonly timeoutMs?: number;
  /** Further request headers. Their values are as secret as the key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the request, such as `{"reasoning_effort": "low"}`. None of them replaces one of ours. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Longer descriptions of tools are cut. 1 024 characters: some APIs refuse every request that has a longer one. */
  readonly descriptionChars?: number;
  /** Most bytes of one answer as it comes, several times its text. 32 MiB. */
  readonly maxAnswerBytes?: number;
}
