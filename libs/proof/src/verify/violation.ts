/** What is stated of a log (V2). */
export type Statement =
  /** Every checkpoint is there, signed by a key that is trusted, and names the one before it. */
  | 'checkpoints'
  /** The records are those that the checkpoints were signed for: none removed, changed, cut off or moved. */
  | 'chains'
  /** Each request for consent has at most one standing spend. */
  | 'one-spend'
  /** Each gated dispatch cites a standing approved spend of its own turn, for its own call. */
  | 'approved-spend'
  /** No dispatch follows a standing close, of its request or of its session. */
  | 'no-dispatch-after-close'
  /** No attempt of a call is dispatched twice, none follows one that did not end `not-sent`, and no call ran without a standing dispatch. */
  | 'one-dispatch'
  /** Each tool session has one start, and nothing before it. */
  | 'one-tool-session';

/** A record, or with `to` all offsets from `offset` up to, and without, `to`. */
export interface ViolationPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly to?: number;
}

export interface Violation {
  readonly statement: Statement;
  /** For a person; holds nobody's data. */
  readonly sentence: string;
  readonly positions: readonly ViolationPlace[];
}

export const placeText = ({ topic, partition, offset, to }: ViolationPlace): string =>
  `${topic}:${partition}:${offset}${to === undefined || to === offset + 1 ? '' : `–${to - 1}`}`;
