import type { Claims, SessionView } from '@doorledger/event-log';
import type { LedgerReader, OwnSession } from '@doorledger/ledger';
import { openContent, type ContentKeys } from '@doorledger/privacy';
import type { PendingAsk, TurnContent } from '@doorledger/turns';
import type { Caller } from '../caller.js';
import { noSuchSession } from '../refused.js';
import { failure, type Terminal } from '../wire/terminal.js';

export interface SessionOpsOptions {
  readonly view: Pick<SessionView, 'hold'>;
  readonly claims: Pick<Claims, 'append'>;
  readonly ledger: Pick<LedgerReader, 'sessionsOf'>;
  readonly keys: Pick<ContentKeys, 'keyById'>;
  readonly transcriptOf: TurnContent['transcriptOf'];
  readonly pendingOf: (key: string) => Promise<PendingAsk | undefined>;
}

/** A session that its caller may see. */
export interface ServedSession {
  readonly ref: string;
  readonly id: string;
}

const PAGE = 50;

/** The session ops of D15, for callers that ownership let in (O6). */
export class SessionOps {
  constructor(private readonly options: SessionOpsOptions) {}

  /** The caller's own sessions, newest first; nobody's for who proved nothing. */
  async list({ userRef }: Caller, cursor: string | undefined): Promise<Terminal> {
    if (userRef === undefined) return { kind: 'sessions', body: { sessions: [] } };
    const page = await this.options.ledger.sessionsOf(userRef, { limit: PAGE, ...(cursor !== undefined && { cursor }) });
    const sessions = await Promise.all(page.items.map((item) => this.#listed(item)));
    return {
      kind: 'sessions',
      body: { sessions: sessions.filter((item) => item !== undefined), ...(page.cursor !== undefined && { cursor: page.cursor }) },
    };
  }

  /** What the user and the assistant said, in order. */
  async transcript({ ref, id }: ServedSession): Promise<Terminal> {
    const said = await this.options.transcriptOf(ref);
    const messages = said.filter(({ role, text }) => role !== 'tool' && text !== '').map(({ role, text }) => ({ role, text }));
    return { kind: 'sessions', body: { transcript: { sessionId: id, messages } } };
  }

  async pending({ ref }: ServedSession): Promise<Terminal> {
    const ask = await this.options.pendingOf(ref);
    if (!ask) return failure('ERR_NO_PENDING_ASK', 'Nothing waits for a decision here.');
    return { kind: 'sessions', body: { pending: ask } };
  }

  /** Resolves when the close stands on the log. */
  async close({ ref }: ServedSession, { userRef }: Caller): Promise<Terminal> {
    const data = { sessionRef: ref, reason: 'owner', ...(userRef !== undefined && { by: userRef }) } as const;
    const [met] = await this.options.claims.append(ref, [{ type: 'session.closed', data }]);
    if (!met!.verdict.stands) throw noSuchSession();
    return { kind: 'sessions', body: { closed: true } };
  }

  /** A session whose key was erased has no name any more and is not listed. */
  async #listed({ sessionRef, savedAt, messageCount, awaiting, name }: OwnSession): Promise<object | undefined> {
    if (!name) return undefined;
    const sealed = { keyId: name.keyId, sealed: Buffer.from(name.sealed).toString('base64') };
    const id = await openContent(this.options.keys, sealed, { type: 'session.named', subject: sessionRef });
    return { sessionId: id.toString('utf8'), savedAt, messageCount, awaiting: awaiting !== undefined };
  }
}
