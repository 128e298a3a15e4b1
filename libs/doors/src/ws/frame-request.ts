import type { ToolProgress } from '@doorledger/turns';
import { Refused } from '../refused.js';
import type { DoorWatch } from '../turns/turn-handler.js';
import type { Fields } from '../wire/asked.js';
import { bodyOf, eventOf, failure, type Terminal } from '../wire/terminal.js';
import type { FrameId } from './frame.js';

/** One request of a conversation, and the frames that answer it. */
export class FrameRequest implements DoorWatch {
  readonly id: FrameId;
  readonly fields: Fields;
  readonly #abort = new AbortController();
  readonly #head: string;
  readonly #send: (text: string) => void;
  #isSecond = false;

  constructor({ id, fields }: { readonly id: FrameId; readonly fields: Fields }, send: (text: string) => void) {
    this.id = id;
    this.fields = fields;
    this.#head = headOf(id);
    this.#send = send;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(): void {
    this.#abort.abort();
  }

  /** C3: another turn of the conversation runs. */
  isSecondTurn(): void {
    this.#isSecond = true;
  }

  /** In the order of D5: who asks and whether they are admitted is judged by now, and nothing is claimed yet. @throws Refused */
  begins(): void {
    if (this.#isSecond) throw new Refused(failure('ERR_CONCURRENT_RUN', 'A turn of this conversation is still running: wait for its end.'));
  }

  step(step: number): void {
    this.#say('progress', { step });
  }

  piece(text: string): void {
    this.#say('chunk', { text });
  }

  tool(progress: ToolProgress): void {
    this.#say('progress', progress);
  }

  end(terminal: Terminal): void {
    this.#say(eventOf(terminal), bodyOf(terminal));
  }

  #say(event: string, data: object): void {
    this.#send(frameText(this.#head, event, data));
  }
}

/** An answer to a frame that came to be no request. */
export const answerTo = (id: FrameId, terminal: Terminal): string => frameText(headOf(id), eventOf(terminal), bodyOf(terminal));

const headOf = (id: FrameId): string => (id === undefined ? '{' : `{"id":${JSON.stringify(id)},`);

const frameText = (head: string, event: string, data: object): string => `${head}"event":"${event}","data":${JSON.stringify(data)}}`;
