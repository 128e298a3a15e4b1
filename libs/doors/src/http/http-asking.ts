import { bearerOf, type Presented } from '@doorledger/access';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Asking } from '../composer.js';
import type { Asked } from '../wire/asked.js';

export interface HttpAskingOptions {
  /** Undefined: no header names a user. */
  readonly dialect?: { readonly userHeader: string };
  /** D24 */
  readonly onHangup: 'abort' | 'continue';
}

const never = new AbortController().signal;

/** A request as the door hands it on. Most of it is read when somebody asks: of a flood of refusals nobody does. */
export class HttpAsking implements Asking {
  readonly presented: Presented;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #heedsHangup: boolean;
  #signal?: AbortSignal;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    readonly asked: Asked,
    { dialect, onHangup }: HttpAskingOptions,
  ) {
    this.presented = presentedBy(request, dialect);
    this.#request = request;
    this.#reply = reply;
    this.#heedsHangup = onHangup === 'abort';
  }

  get idempotencyKey(): string | undefined {
    return idempotencyKeyOf(this.#request);
  }

  /** D24: aborts when the caller is gone before the answer, if that ends its turn. */
  get signal(): AbortSignal {
    return (this.#signal ??= this.#heedsHangup ? hangUp(this.#reply) : never);
  }
}

export function presentedBy({ headers }: FastifyRequest, dialect?: HttpAskingOptions['dialect']): Presented {
  const bearer = bearerOf(headers.authorization);
  const claimedUser = dialect && headers[dialect.userHeader];
  return { ...(bearer !== undefined && { bearer }), ...(typeof claimedUser === 'string' && claimedUser !== '' && { claimedUser }) };
}

/** D18: as it was sent. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}

function hangUp({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => {
    if (!raw.writableFinished) gone.abort();
  };
  if (raw.closed) leave();
  else raw.once('close', leave);
  return gone.signal;
}
