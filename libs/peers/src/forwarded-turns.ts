import type { HeldSession, SessionView } from '@doorledger/event-log';
import { TurnStream } from '@doorledger/doors';
import { TurnError, encodePausedTurn, type ResumeAsk, type TurnAnswer, type TurnAsk, type TurnRunner } from '@doorledger/turns';
import type { HostLife } from './host-life.js';
import { errorOf } from './hop-failure.js';
import type { HopAnswer, HopAsk } from './hop-message.js';
import type { Hop, Peers } from './peers.js';

export interface ForwardedTurnsOptions {
  /** Runs what no other host holds. */
  readonly here: Pick<TurnRunner, 'run' | 'resume' | 'track'>;
  readonly view: Pick<SessionView, 'hold' | 'reached'>;
  /** The life of a host that is alive and holds live tool sessions of this session; undefined where it is this one, or none. */
  readonly holderOf: (sessionRef: string) => HostLife | undefined;
  readonly peers: Pick<Peers, 'open'>;
}

/** How long the own tail may take to meet what the holder had met (P3). */
const READ_WITHIN_MS = 2000;
/** How long the holder may take to say how a turn ended whose caller is gone. */
const LAST_WORDS_MS = 5000;

type Watched = Pick<ResumeAsk, 'turnId' | 'watch' | 'signal' | 'onSettled'>;

/**
 * Runs a turn where its session's live tool sessions are (L6). Everything is judged here, once: the holder runs it and judges nothing
 * again. Before the holder has let this host in, the turn may run here; afterwards never, whatever becomes of the holder.
 */
export class ForwardedTurns implements Pick<TurnRunner, 'run' | 'resume'> {
  constructor(private readonly options: ForwardedTurnsOptions) {}

  /** @throws as `TurnRunner.run`; TurnError `ERR_HOST_LOST` */
  async run({ admit, watch, signal, ...ask }: TurnAsk): Promise<TurnAnswer> {
    const { here, holderOf, view } = this.options;
    const { session } = ask;
    const holder = session && holderOf(session.ref);
    if (!holder) return here.run({ ...ask, ...(admit && { admit }), ...(watch && { watch }), signal });
    const held = await view.hold(session.ref);
    try {
      const admitted = (await admit?.(held.state)) ?? { mayWait: false };
      const hop = await this.options.peers.open(holder);
      if (!hop) return await here.run({ ...ask, admit: async () => admitted, ...(watch && { watch }), signal });
      const forwarded = { ...ask, session, mayWait: admitted.mayWait };
      return await this.#elsewhere(hop, holder, session.ref, { turnId: ask.turnId, watch, signal }, (isResumable) => ({
        kind: 'run',
        ask: forwarded,
        isResumable,
      }));
    } finally {
      held.release();
    }
  }

  /** @throws as `run` */
  async resume(ask: ResumeAsk, held: HeldSession): Promise<TurnAnswer> {
    const holder = this.options.holderOf(ask.key);
    const hop = holder && (await this.options.peers.open(holder));
    if (!hop) return this.options.here.resume(ask, held);
    const { watch, signal, onSettled, paused, ...rest } = ask;
    const forwarded = { ...rest, paused: encodePausedTurn(paused) };
    return this.#elsewhere(hop, holder, ask.key, { turnId: ask.turnId, watch, signal, onSettled }, (isResumable) => ({
      kind: 'resume',
      ask: forwarded,
      isResumable,
    }));
  }

  async #elsewhere(
    hop: Hop,
    { hostId }: HostLife,
    key: string,
    { turnId, watch, signal, onSettled }: Watched,
    askOf: (isResumable: boolean) => HopAsk,
  ): Promise<TurnAnswer> {
    const { here, view } = this.options;
    return here.track(signal, async ({ signal: stop }) => {
      const end = endOf(hop, stop, (answer) => {
        if (answer.kind === 'step') watch?.step(answer.step);
        else if (answer.kind === 'piece') watch?.piece(answer.text);
        else if (answer.kind === 'tool') watch?.tool(answer.progress);
        else if (answer.kind === 'settled') onSettled?.(answer.verdict);
      });
      hop.say(askOf(watch instanceof TurnStream));
      const answer = await end;
      if (!answer) throw hostLost(turnId);
      await view.reached(key, answer.next, READ_WITHIN_MS);
      if (answer.kind === 'failed') throw errorOf(answer.failure, hostId);
      return answer.answer;
    });
  }
}

type End = Extract<HopAnswer, { kind: 'answer' | 'failed' }>;

/** Resolves to how the turn ended; to undefined when the holder was lost before it said so. */
function endOf(hop: Hop, stop: AbortSignal, told: (answer: HopAnswer) => void): Promise<End | undefined> {
  return new Promise((resolve) => {
    let late: NodeJS.Timeout | undefined;
    const abort = () => {
      hop.say({ kind: 'abort' });
      late = setTimeout(() => hop.terminate(), LAST_WORDS_MS);
    };
    const ended = (end: End | undefined) => {
      clearTimeout(late);
      stop.removeEventListener('abort', abort);
      hop.close();
      resolve(end);
    };
    hop.listen({
      heard: (answer) => (answer.kind === 'answer' || answer.kind === 'failed' ? ended(answer) : told(answer)),
      closed: () => ended(undefined),
    });
    if (hop.isClosed) return ended(undefined);
    if (stop.aborted) abort();
    else stop.addEventListener('abort', abort);
  });
}

const hostLost = (turnId: string): TurnError =>
  new TurnError(
    'ERR_HOST_LOST',
    'The host that this turn was forwarded to was lost. The turn may have run: ask for it by its id before you send it again.',
    { details: { turnId } },
  );
