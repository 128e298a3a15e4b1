import type * as ledger from '@doorledger/ledger';
import type * as client from '../../libs/client/src/index.js';

/** What the ledger answers can be read as the client says, and neither names a field that the other does not. */
type Alike<Told, Read> = [Told, keyof Told, keyof Read] extends [Read, keyof Read, keyof Told] ? true : never;

/** The client takes nothing of the server's, so it says these shapes again; the type check refuses this table where they differ. */
const alike: {
  readonly SessionItem: Alike<ledger.SessionItem, client.SessionItem>;
  readonly TimelineItem: Alike<ledger.TimelineItem, client.TimelineItem>;
  readonly ConsentItem: Alike<ledger.ConsentItem, client.ConsentItem>;
  readonly ToolSessionItem: Alike<ledger.ToolSessionItem, client.ToolSessionItem>;
  readonly ToolCallItem: Alike<ledger.ToolCallItem, client.ToolCallItem>;
  readonly IngressItem: Alike<ledger.IngressItem, client.IngressItem>;
  readonly CensusItem: Alike<ledger.Census['items'][number], client.CensusItem>;
  readonly LifeCheck: Alike<ledger.LifeCheck, client.LifeCheck>;
} = {
  SessionItem: true,
  TimelineItem: true,
  ConsentItem: true,
  ToolSessionItem: true,
  ToolCallItem: true,
  IngressItem: true,
  CensusItem: true,
  LifeCheck: true,
};

it('P2 has the client read every item of the ledger as the ledger answers it', () => {
  expect(Object.values(alike)).not.toContain(undefined);
});
