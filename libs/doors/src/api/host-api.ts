import type { SessionView } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';
import type { References } from '@doorledger/privacy';
import type { PendingAsk, TurnContent } from '@doorledger/turns';
import type { Caller } from '../caller.js';
import type { Composer } from '../composer.js';
import type { Presented } from '@doorledger/access';
import { mintSessionId } from '../ownership/minted-id.js';
import { Refused, noSuchSession } from '../refused.js';
import type { SessionOps } from '../sessions/session-ops.js';
import type { Trace } from '../trace.js';
import { endOfTurn } from '../turns/earlier-turn.js';
import type { TurnStream } from '../turns/turn-streams.js';
import { sessionIdProblem } from '../wire/session-id.js';
import { failure, type Terminal } from '../wire/terminal.js';

export interface HostApiOptions {
  readonly composer: Pick<Composer, 'callerOf' | 'sessionOf' | 'owned'>;
  readonly references: References;
  readonly ops: Pick<SessionOps, 'close'>;
  readonly view: Pick<SessionView, 'hold'>;
  readonly ledger: Pick<LedgerReader, 'turn' | 'turnDetail'>;
  readonly pendingOf: (key: string) => Promise<PendingAsk | undefined>;
  readonly outputOf: TurnContent['outputOf'];
}

export interface ApiCall {
  readonly presented: Presented;
  readonly signal: AbortSignal;
  readonly trace: Trace;
}

/** A turn of the caller's that a host runs right now, by the log. */
export interface RunningElsewhere {
  readonly turnId: string;
  readonly host: { readonly hostId: string; readonly bootId: string };
  readonly userRef?: string;
}

/** Roles that read every public fact of a deployment (P1). */
const READERS = new Set(['auditor', 'operator']);

/** The host's API (P5), as far as its causes exist. Each call throws Refused or resolves to its terminal. */
export class HostApi {
  constructor(private readonly options: HostApiOptions) {}

  /** O1: an id that nobody can guess. */
  async mintSession({ presented, signal, trace }: ApiCall): Promise<Terminal> {
    await this.options.composer.callerOf(presented, signal, trace);
    return { kind: 'api', status: 201, body: { sessionId: mintSessionId(this.options.references) } };
  }

  async closeSession(id: string, { presented, signal, trace }: ApiCall): Promise<Terminal> {
    const { composer, ops } = this.options;
    const caller = await composer.callerOf(presented, signal, trace);
    const reason = sessionIdProblem(id);
    if (reason)
      throw new Refused(
        failure('ERR_INVALID_SESSION_ID', 'A session id is 1 to 400 characters from "!" to "~", without spaces.', { details: { reason } }),
      );
    const session = composer.sessionOf(id, caller, trace);
    return composer.owned(session, caller, async (state) => {
      if (state.lastRunId === null) throw noSuchSession();
      await ops.close(session, caller);
      return { kind: 'api', status: 200, body: { closed: true } };
    });
  }

  /** D19: a turn's state, and to its own caller its output. */
  async turn(turnId: string, { presented, signal, trace }: ApiCall): Promise<Terminal> {
    const { composer, ledger, outputOf } = this.options;
    const caller = await composer.callerOf(presented, signal, trace);
    const detail = await ledger.turnDetail(turnId);
    const key = detail?.sessionRef ?? turnId;
    const isOwn = detail !== undefined && (await this.#isOwn(key, caller));
    if (!detail || !(isOwn || (await this.#audits(turnId, caller)))) throw noSuchTurn();
    const output = isOwn && detail.status === 'completed' ? { output: await outputOf(key, turnId) } : {};
    return { kind: 'api', status: 200, body: { ...detail, ...output } };
  }

  /** D23: the one frame of a turn whose pieces are gone. */
  async turnEnd(turnId: string, { presented, signal, trace }: ApiCall): Promise<Terminal> {
    const caller = await this.options.composer.callerOf(presented, signal, trace);
    const row = await this.options.ledger.turn(turnId);
    if (!row || !(await this.#isOwn(row.session_key, caller))) throw noSuchTurn();
    return endOfTurn(row.session_key, turnId, this.options);
  }

  /** D23: where the caller's own turn runs; undefined once it has ended. @throws Refused */
  async runningAt(turnId: string, { presented, signal, trace }: ApiCall): Promise<RunningElsewhere | undefined> {
    const caller = await this.options.composer.callerOf(presented, signal, trace);
    const row = await this.options.ledger.turn(turnId);
    if (!row || !(await this.#isOwn(row.session_key, caller))) throw noSuchTurn();
    const held = await this.options.view.hold(row.session_key);
    const { run } = held.state;
    held.release();
    if (run?.turnId !== turnId) return undefined;
    const { hostId, bootId } = run;
    return { turnId, host: { hostId, bootId }, ...(caller.userRef !== undefined && { userRef: caller.userRef }) };
  }

  /** Whether a stream that is kept here is the caller's own, and its session is not over (X2). */
  async mayRead(stream: TurnStream, { presented, signal, trace }: ApiCall): Promise<boolean> {
    const caller = await this.options.composer.callerOf(presented, signal, trace);
    if (!stream.isOf(caller)) return false;
    const row = stream.turnId === undefined ? undefined : await this.options.ledger.turn(stream.turnId);
    return !row || this.#isOwn(row.session_key, caller);
  }

  /** P1: all turns, or those of the caller's tenant. */
  async #audits(turnId: string, { principal, tenant, tenantRef }: Caller): Promise<boolean> {
    if (!principal?.roles.some((role) => READERS.has(role))) return false;
    return tenant === undefined || tenant === '*' || (await this.options.ledger.turn(turnId))?.tenant_ref === tenantRef;
  }

  async #isOwn(key: string, caller: Caller): Promise<boolean> {
    const held = await this.options.view.hold(key);
    try {
      return held.state.owner === (caller.userRef ?? null) && !held.state.isClosed;
    } finally {
      held.release();
    }
  }
}

const noSuchTurn = (): Refused => new Refused(failure('ERR_NOT_FOUND', 'There is no such turn.'));
