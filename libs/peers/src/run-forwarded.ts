import { TurnFailure, terminalOf, terminalOfAnswer, type TurnStream, type TurnStreams } from '@doorledger/doors';
import { readPausedTurn, type ResumeAsk, type TurnAnswer, type TurnWatch } from '@doorledger/turns';
import { failureOf } from './hop-failure.js';
import type { ForwardedResume, ForwardedRun, HopAsk } from './hop-message.js';
import type { EdgeSocket, HopWork } from './hop-work.js';

export interface ForwardedParts extends Pick<HopWork, 'runner' | 'view'> {
  readonly streams: TurnStreams;
  readonly report: (error: unknown) => string;
}

type Forwarded = Exclude<HopAsk, { kind: 'read' }>;

/** A turn that is to run here for somebody else's caller. */
interface Work {
  readonly turnId: string;
  /** The session's reference. */
  readonly key: string;
  /** The turn's own caller. */
  readonly userRef: string | undefined;
  go(watch: TurnWatch, signal: AbortSignal, hop: EdgeSocket): Promise<TurnAnswer>;
}

const unheard = { frame: () => {}, end: () => {} };

/**
 * Runs a turn for the edge that judged it, and tells it all that its caller is to hear. An edge that says that its caller is gone, or is
 * gone itself, aborts the turn; a stream that can be read again goes on for as long as D24 lets it.
 */
export async function runForwarded(hop: EdgeSocket, asked: Forwarded, parts: ForwardedParts): Promise<void> {
  const { view, report, streams } = parts;
  const work = asked.kind === 'run' ? runOf(asked.ask, parts) : resumeOf(asked.ask, parts);
  const stop = new AbortController();
  const stream = asked.isResumable ? streamOf(work, streams) : undefined;
  const leave = stream?.read(0, unheard);
  hop.listen({
    heard: ({ kind }) => kind === 'abort' && stop.abort(),
    closed: () => (leave ? leave() : stop.abort()),
  });
  const signal = stream ? AbortSignal.any([stop.signal, stream.signal]) : stop.signal;
  try {
    const answer = await work.go(watchOf(hop, stream), signal, hop);
    stream?.end(terminalOfAnswer(answer, work.turnId, undefined));
    hop.say({ kind: 'answer', answer, next: view.nextOf(work.key) });
  } catch (error) {
    const failure = failureOf(error);
    if (stream) stream.end(terminalOf(new TurnFailure(work.turnId, error), report));
    else if (failure.kind === 'other' && !signal.aborted) report(error);
    hop.say({ kind: 'failed', failure, next: view.nextOf(work.key) });
  } finally {
    hop.close();
  }
}

const runOf = ({ mayWait, ...ask }: ForwardedRun, { runner }: ForwardedParts): Work => ({
  turnId: ask.turnId,
  key: ask.session.ref,
  userRef: ask.signer,
  go: (watch, signal) => runner.run({ ...ask, admit: async () => ({ mayWait }), watch, signal }),
});

const resumeOf = ({ paused: stored, ...ask }: ForwardedResume, { runner, view }: ForwardedParts): Work => {
  const paused = readPausedTurn(stored) as ResumeAsk['paused'];
  const { turnId, key } = ask;
  return {
    turnId,
    key,
    userRef: paused.party.signer,
    go: async (watch, signal, hop) => {
      const held = await view.hold(key);
      try {
        const onSettled: ResumeAsk['onSettled'] = (verdict) => hop.say({ kind: 'settled', verdict });
        return await runner.resume({ ...ask, paused, watch, signal, onSettled }, held);
      } finally {
        held.release();
      }
    },
  };
};

function watchOf(hop: EdgeSocket, stream: TurnStream | undefined): TurnWatch {
  return {
    step(step) {
      stream?.step(step);
      hop.say({ kind: 'step', step });
    },
    piece(text) {
      stream?.piece(text);
      hop.say({ kind: 'piece', text });
    },
    tool(progress) {
      stream?.tool(progress);
      hop.say({ kind: 'tool', progress });
    },
  };
}

/** D23: to be read again here by the turn's own caller. Its frames have the numbers that the edge gives them too. */
function streamOf({ turnId, userRef }: Work, streams: TurnStreams): TurnStream {
  const stream = streams.begin();
  stream.begins(turnId, { isVerified: userRef !== undefined, ...(userRef !== undefined && { userRef }) });
  return stream;
}
