import type { Message } from '@doorledger/agent';
import type { HeldSession, SessionView } from '@doorledger/event-log';
import { TurnError } from './turn-error.js';

export interface TurnContentOptions {
  readonly view: Pick<SessionView, 'hold'>;
  readonly said: (key: string, held: HeldSession) => Promise<Said[]>;
}

/** Messages of one private record, in the order they were said. */
export interface Said {
  readonly turnId: string;
  readonly messages: readonly Message[];
}

/** What was said under a key of the session topic, read for its callers: from the ledger and the log past it (L14). */
export class TurnContent {
  constructor(private readonly options: TurnContentOptions) {}

  /** Everything that standing records name, oldest first. */
  async transcriptOf(key: string): Promise<Message[]> {
    return (await this.#said(key)).flatMap(({ messages }) => messages);
  }

  /**
   * The last answer of a turn that was completed.
   * @throws TurnError `ERR_LEDGER_BEHIND`
   */
  readonly outputOf = async (key: string, turnId: string): Promise<string> => {
    const messages = (await this.#said(key)).flatMap((said) => (said.turnId === turnId ? said.messages : []));
    const answer = messages.findLast(({ role }) => role === 'assistant');
    if (!answer) throw new TurnError('ERR_LEDGER_BEHIND', 'The ledger has not read this turn yet. Try again soon.');
    return answer.text;
  };

  async #said(key: string): Promise<Said[]> {
    const held = await this.options.view.hold(key);
    try {
      return await this.options.said(key, held);
    } finally {
      held.release();
    }
  }
}
