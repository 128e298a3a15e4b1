import type { CountedReason } from '@doorledger/doors';

/** Who brings which token; `nobody` brings none. */
export type Bearer =
  | 'ann'
  | 'bob'
  | 'auditor'
  | 'expired'
  | 'not-yet-valid'
  | 'wrong-audience'
  | 'wrong-issuer'
  | 'unverifiable'
  | 'of-an-issuer-away'
  | 'nobody';

/** A request, as far as it differs from a JSON `POST /invoke` of ann to the host's own name. */
export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly as?: Bearer;
  /** Each line over the usual ones of its name; `null`: no such line; a list: so many lines. */
  readonly headers?: Readonly<Record<string, string | null | readonly string[]>>;
  /** JSON, or text as it is. */
  readonly body?: object | string;
  /** A WebSocket handshake. */
  readonly isUpgrade?: boolean;
  /** Bytes instead of all that; the connection is ended after them. */
  readonly bytes?: string;
}

/** The columns of an ingress record beside its place and its times. Absent facts are absent keys (spec 5). */
export interface ExpectedRow {
  readonly door: string;
  readonly outcome: string;
  readonly bearerPresent: boolean;
  readonly op?: string;
  readonly errorCode?: string;
  readonly errorName?: string;
  readonly identityFailure?: string;
  readonly claimedUser?: true;
  readonly admission?: string;
  /** Whose reference the record carries. */
  readonly person?: 'ann' | 'bob';
  /** Which session it names; `minted`: one that the host made up. */
  readonly session?: string;
  /** It names the turn that the answer named. */
  readonly hasTurn?: true;
}

/** One line of the table: what is asked, how it is answered, and what the ledger has of it. */
export interface DoorCase {
  readonly name: string;
  readonly ask: Ask;
  readonly status: number;
  /** A text stands for the code of a refusal whose other fields are `error` alone; a list for the events of a stream. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly row?: ExpectedRow;
  /** No record: a part of this count. Neither: only metrics know of it (E13). */
  readonly counted?: CountedReason;
}

/** What every record of a refusal at the request door says that was decided before anything was known of it (E3). */
export const early = (errorCode: string, outcome = 'refused'): ExpectedRow => ({
  door: 'request',
  outcome,
  errorCode,
  bearerPresent: true,
});

export const served = (more: Partial<ExpectedRow> = {}): ExpectedRow => ({
  door: 'turn',
  outcome: 'served',
  bearerPresent: true,
  admission: 'allow',
  person: 'ann',
  hasTurn: true,
  ...more,
});
