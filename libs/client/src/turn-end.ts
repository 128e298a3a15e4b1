/** A call that waits for a person (N18). Times are RFC 3339. */
export interface PendingAsk {
  readonly requestId: string;
  readonly turnId: string;
  readonly gate: 'checkIn' | 'ask';
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly question?: string;
  readonly decideBy?: string;
  readonly spendBy?: string;
  readonly votes?: { readonly have: number; readonly need: number };
  readonly replaces?: string;
}

/** A file that a turn handed over; its content is asked for by `Doors.artifact`. `size` in bytes. */
export interface ArtifactNote {
  readonly ref: string;
  readonly mimeType: string;
  readonly name?: string;
  readonly size: number;
}

/** How a turn ended. `position`: good for `at` of a ledger query, which then shows this turn. */
export type TurnEnd = { readonly turnId?: string; readonly position?: string } & (
  | { readonly kind: 'complete'; readonly output: string; readonly artifacts?: readonly ArtifactNote[] }
  | { readonly kind: 'awaiting'; readonly ask: PendingAsk }
);

/** What happens while a turn runs, and last how it ended. */
export type TurnEvent =
  | { readonly kind: 'chunk'; readonly text: string }
  /** A step began, or a tool told how far it is. */
  | { readonly kind: 'progress'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly kind: 'end'; readonly end: TurnEnd };

export interface EndBody {
  readonly output?: string;
  readonly artifacts?: readonly ArtifactNote[];
  readonly awaiting?: PendingAsk;
}

export function endOf({ output = '', artifacts, awaiting }: EndBody, place: Pick<TurnEnd, 'turnId' | 'position'>): TurnEnd {
  if (awaiting) return { kind: 'awaiting', ask: awaiting, ...place, turnId: awaiting.turnId };
  return { kind: 'complete', output, ...(artifacts && { artifacts }), ...place };
}

export function placeIn({ headers }: Response): Pick<TurnEnd, 'turnId' | 'position'> {
  const [turnId, position] = [headers.get('x-turn-id'), headers.get('x-doorledger-position')];
  return { ...(turnId !== null && { turnId }), ...(position !== null && { position }) };
}
