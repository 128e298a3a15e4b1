import type { JSONRPCMessage, JSONRPCRequest, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { CallProgress } from '../call-end.js';
import { RequestRefusedError, tooOldToSend } from '../errors.js';
import type { ConnectionGuard } from './connection-guard.js';
import type { RequestId, RequestLedger } from './request-ledger.js';

/** The `params._meta` key that carries a call's marker from the call to the watched send, and no further (M10). */
export const MARKER = 'io.doorledger/marker';

export interface WatchOptions {
  readonly ledger: RequestLedger;
  readonly guard: ConnectionGuard;
  readonly strict: boolean;
  /** A `tools/call` left that no call of ours issued; told once per connection (M19). */
  readonly onUnmatched: () => void;
}

/** What the watch knows of its transport. */
export interface Watch {
  /** An answer passed the observer: answers are observed (M14). */
  readonly isObserving: boolean;
}

const watchedTransports = new WeakSet<Transport>();

/**
 * Watches a transport's requests and answers. Its `send` is replaced on the instance, once and for good; its `onmessage` is
 * given an observer that runs before whatever handler is there (M14, M15). Call it before the client connects.
 *
 * @returns undefined where the transport cannot be watched: no evidence is promised for it
 */
export function watch(transport: Transport, options: WatchOptions): Watch | undefined {
  const { ledger, guard, strict, onUnmatched } = options;
  const state = { isObserving: false, toldUnmatched: false };
  const send = transport.send.bind(transport);

  const sendCall = async (request: JSONRPCRequest, sending: TransportSendOptions | undefined): Promise<void> => {
    guard.check(request.method);
    const marker = request.params?._meta?.[MARKER];
    if (strict && !ledger.isIssued(marker)) {
      throw new RequestRefusedError('ERR_REQUEST_UNMATCHED', 'A tool call that was not issued here was not sent (app-authorized).');
    }
    if (strict && !state.isObserving) {
      throw new RequestRefusedError(
        'ERR_ANSWERS_UNOBSERVED',
        'Answers of this tool server cannot be observed; nothing was sent (app-authorized).',
      );
    }
    if (!ledger.maySend(marker)) throw tooOldToSend();
    const entry = ledger.file(request.id, marker);
    if (!entry.matched && !state.toldUnmatched) {
      state.toldUnmatched = true;
      onUnmatched();
    }
    // On a shared channel writing is leaving; over HTTP the fetch knows better.
    if (transport.hasPerRequestStream !== true) entry.replay.left = true;
    const given = sending?.requestSignal;
    await send(withoutMarker(request), {
      ...sending,
      requestSignal: given ? AbortSignal.any([given, entry.stop.signal]) : entry.stop.signal,
      onRequestStreamEnd: () => {
        sending?.onRequestStreamEnd?.();
        if (!entry.replay.answered) entry.onLoss('stream-ended');
      },
    });
  };

  const watched = async (message: JSONRPCMessage, sending?: TransportSendOptions): Promise<void> => {
    if (!('method' in message)) return send(message, sending);
    if ('id' in message) {
      if (message.method === 'tools/call') return sendCall(message, sending);
      guard.check(message.method);
      return send(message, sending);
    }
    guard.notifications++;
    if (message.method !== 'notifications/cancelled') return send(message, sending);
    const { requestId, _meta } = (message.params ?? {}) as { requestId?: RequestId; _meta?: unknown };
    if (requestId !== undefined && ledger.cancel(requestId)) guard.cancels++;
    // Why a turn was given up is nobody's business but ours: no reason goes with it (M12).
    return send(
      { ...message, params: { ...(requestId !== undefined && { requestId }), ...(_meta !== undefined && { _meta }) } } as JSONRPCMessage,
      sending,
    );
  };

  try {
    Object.defineProperty(transport, 'send', { value: watched, writable: false, configurable: false, enumerable: true });
    const existing = transport.onmessage;
    transport.onmessage = (message, extra) => {
      if (!('method' in message)) {
        state.isObserving = true;
        if (message.id !== undefined) ledger.answered(message.id);
      } else if (message.method === 'notifications/progress') {
        // Here, since the client drops what comes together with the answer.
        const token = message.params?.['progressToken'];
        const progress = progressOf(message.params);
        if (progress && (typeof token === 'number' || typeof token === 'string')) ledger.progressed(token, progress);
      }
      existing?.(message, extra);
    };
  } catch (error) {
    if (watchedTransports.has(transport)) throw error;
    return undefined;
  }
  watchedTransports.add(transport);
  return state;
}

const MESSAGE_CHARACTERS = 1_000;

function progressOf(params: Readonly<Record<string, unknown>> | undefined): CallProgress | undefined {
  const { progress, total, message } = params ?? {};
  if (typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message: message.slice(0, MESSAGE_CHARACTERS) }),
  };
}

/** The request as it would have been without us: the server receives the bytes it always did (M10). */
function withoutMarker(request: JSONRPCRequest): JSONRPCRequest {
  const meta = request.params?._meta;
  if (!meta || !(MARKER in meta)) return request;
  const { [MARKER]: _marker, ...rest } = meta;
  const { _meta, ...params } = request.params ?? {};
  const isEmpty = Object.keys(rest).length === 0;
  return { ...request, params: isEmpty ? params : { ...params, _meta: rest } };
}
