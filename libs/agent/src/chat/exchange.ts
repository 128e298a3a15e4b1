import { AgentError } from '../agent-error.js';

export interface ExchangeBounds {
  /** The longest silence, until an answer begins and between any two of its bytes. */
  readonly timeoutMs: number;
  /** Of the stream as it comes, in bytes: several times its text. */
  readonly maxAnswerBytes: number;
}

/** One request with its answer. The caller's abort, silence, and an answer without end each close its connection at once. */
export class Exchange {
  readonly controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #hangUp = () => this.controller.abort();
  readonly #silence: NodeJS.Timeout;
  #bytesLeft: number;
  #problem?: AgentError;

  constructor(caller: AbortSignal, { timeoutMs, maxAnswerBytes }: ExchangeBounds) {
    this.#caller = caller;
    this.#bytesLeft = maxAnswerBytes;
    this.#silence = setTimeout(
      () => this.#end('ERR_MODEL_UNAVAILABLE', `The model said nothing for ${timeoutMs / 1000} s. Try again soon.`),
      timeoutMs,
    );
    if (caller.aborted) this.#hangUp();
    else caller.addEventListener('abort', this.#hangUp, { once: true });
  }

  /** @throws what its caller aborted it with, or what it was ended for here */
  throwIfEnded(): void {
    this.#caller.throwIfAborted();
    if (this.#problem) throw this.#problem;
  }

  /** The response, its body watched as it is read. */
  watched(response: Response): Response {
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, to) => {
        this.#heard(bytes.byteLength);
        to.enqueue(bytes);
      },
    });
    return new Response(response.body?.pipeThrough(watch), response);
  }

  close(): void {
    clearTimeout(this.#silence);
    this.#caller.removeEventListener('abort', this.#hangUp);
    this.controller.abort();
  }

  #heard(bytes: number): void {
    this.#silence.refresh();
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) this.#end('ERR_MODEL_ANSWER', 'The model did not stop answering; it was cut off.');
  }

  #end(code: AgentError['code'], message: string): void {
    this.#problem ??= new AgentError(code, message);
    this.controller.abort();
  }
}
