import { Connection, type ConnectionOptions } from './connection.js';
import { Consents } from './consents.js';
import { Conversation, type ConversationOptions } from './conversation.js';
import { openDecisionLedger, type DecisionLedger } from './decision-ledger.js';
import { Doors, type DoorsOptions } from './doors.js';
import { IngressSink, type IngressSinkOptions } from './ingress-sink.js';
import { Ledger } from './ledger.js';

export interface ClientOptions extends ConnectionOptions {
  /** Where the ledger is read, if no projector answers at `url`. */
  readonly ledgerUrl?: string;
  readonly door?: DoorsOptions;
}

/** Everything that a program asks of a deployment. It holds no connection: conversations and sinks are closed by who opened them. */
export interface Client {
  readonly doors: Doors;
  readonly consents: Consents;
  readonly ledger: Ledger;
  converse(options?: ConversationOptions): Promise<Conversation>;
  /** What agent libraries take as their ledger of decisions (N41). */
  decisionLedger(): Promise<DecisionLedger>;
  /** Files the records of somebody else's door (N41). */
  ingressSink(options: IngressSinkOptions): IngressSink;
}

export function doorledger({ ledgerUrl, door, ...options }: ClientOptions): Client {
  const connection = new Connection(options);
  return {
    doors: new Doors(connection, door),
    consents: new Consents(connection),
    ledger: new Ledger(ledgerUrl === undefined ? connection : new Connection({ ...options, url: ledgerUrl })),
    converse: (of) => Conversation.open(connection, of),
    decisionLedger: () => openDecisionLedger(connection),
    ingressSink: (of) => new IngressSink(connection, of),
  };
}
