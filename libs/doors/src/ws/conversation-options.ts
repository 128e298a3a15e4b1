import type { HttpDoorOptions } from '../http/http-door.js';

/** What holds one conversation within its means. Bytes are UTF-8. */
export interface ConversationBounds {
  /** Longest message, judged on its announced length, its fragments together (1009). */
  readonly maxFrameBytes: number;
  /** Output that the peer has not taken yet (1013). */
  readonly maxUnsentBytes: number;
  /** Requests at work at once; while there are so many, nothing more is read from the socket. */
  readonly maxRequests: number;
  readonly pingEveryMs: number;
  /** How long the other side may take to close. */
  readonly closeWithinMs: number;
}

export const conversationBounds: ConversationBounds = {
  maxFrameBytes: 1024 * 1024,
  maxUnsentBytes: 1024 * 1024,
  maxRequests: 16,
  pingEveryMs: 15_000,
  closeWithinMs: 5_000,
};

export interface ConversationOptions extends Pick<HttpDoorOptions, 'unavailable' | 'door' | 'count' | 'onHangup' | 'now'> {
  readonly bounds: ConversationBounds;
  /** Told of a fault of ours, which ends its conversation (1011). */
  readonly onFault: (error: unknown) => void;
}
