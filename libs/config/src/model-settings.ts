import { address } from './issuers.js';
import { integer, text } from './kind.js';
import { Setting } from './setting.js';

/** What `agent: chat` asks. */
export class ModelSettings {
  @Setting({
    about: 'Where an OpenAI-compatible API answers, without `/chat/completions`; needed with `agent: chat`.',
    kind: text('an address such as `https://api.example/v1`', address),
  })
  readonly baseUrl?: string;

  @Setting({ about: 'Its key.', kind: text('a key', /^.{1,1000}$/), secret: true })
  readonly apiKey?: string;

  @Setting({ about: 'Name of the model; needed with `agent: chat`.', kind: text('a name of at most 200 characters', /^.{1,200}$/) })
  readonly name?: string;

  @Setting({ about: 'What the model is told before every conversation.', kind: text('a text', /^[\s\S]{1,65536}$/) })
  readonly system?: string;

  @Setting({ about: 'Most tokens of one answer.', kind: integer(1, 10_000_000) })
  readonly maxTokens?: number;

  @Setting({ about: 'Longest silence of the model, in milliseconds.', kind: integer(1, 3_600_000) })
  readonly timeoutMs: number = 120_000;
}
