import type * as ledger from '@doorledger/ledger';
import type * as console from '../../apps/console/src/data/types.js';
import type { Me as ShownMe } from '../../apps/console/src/data/me.js';
import type { Me } from '../../apps/projector/src/sign-in/me.controller.js';
import type * as client from '../../libs/client/src/index.js';

/** What the server answers can be read as it is read, and every field that is read is one that may be answered. */
type Readable<Told, Read> = [Told, keyof Read] extends [Read, keyof Told] ? true : never;
/** The same, and no field is left unread. */
type Alike<Told, Read> = [Readable<Told, Read>, keyof Told] extends [true, keyof Read] ? true : never;

/**
 * The client and the console take nothing of the server's, so they say the shapes of its answers again (P2). `npm run typecheck` refuses a
 * line of this table whose two sides differ; there is nothing here to run.
 */
export const sameOnBothSides: {
  readonly SessionItem: Alike<ledger.SessionItem, client.SessionItem>;
  readonly TimelineItem: Alike<ledger.TimelineItem, client.TimelineItem>;
  readonly ConsentItem: Alike<ledger.ConsentItem, client.ConsentItem>;
  readonly ToolSessionItem: Alike<ledger.ToolSessionItem, client.ToolSessionItem>;
  readonly ToolCallItem: Alike<ledger.ToolCallItem, client.ToolCallItem>;
  readonly IngressItem: Alike<ledger.IngressItem, client.IngressItem>;
  readonly CensusItem: Alike<ledger.Census['items'][number], client.CensusItem>;
  readonly LifeCheck: Alike<ledger.LifeCheck, client.LifeCheck>;
  readonly Attempt: Alike<ledger.ConsentAttempt, console.Attempt>;
  readonly ConsentDetail: Readable<ledger.ConsentDetail, console.ConsentDetail>;
  readonly Census: Readable<ledger.Census, console.Census>;
  readonly TopicStatus: Readable<ledger.TopicStatus, console.TopicStatus>;
  readonly ToolSessionSummary: Readable<ledger.ToolSessionSummary, console.ToolSessionSummary>;
  readonly QuarantinedRecord: Readable<ledger.QuarantinedRecord, console.QuarantinedRecord>;
  readonly Me: Alike<Me, ShownMe>;
} = {
  SessionItem: true,
  TimelineItem: true,
  ConsentItem: true,
  ToolSessionItem: true,
  ToolCallItem: true,
  IngressItem: true,
  CensusItem: true,
  LifeCheck: true,
  Attempt: true,
  ConsentDetail: true,
  Census: true,
  TopicStatus: true,
  ToolSessionSummary: true,
  QuarantinedRecord: true,
  Me: true,
};
