import type { RunningElsewhere, StreamReader, TurnStreams } from '@doorledger/doors';
import type { HopAsk } from './hop-message.js';
import type { EdgeSocket } from './hop-work.js';
import type { Peers } from './peers.js';

/** D23: reads a turn's stream out to the edge whose caller has come back. Who may read it was judged there. */
export function readOut(hop: EdgeSocket, { turnId, after, userRef }: Extract<HopAsk, { kind: 'read' }>, streams: TurnStreams): void {
  const stream = streams.of(turnId);
  const isOwn = stream?.isOf({ isVerified: userRef !== undefined, ...(userRef !== undefined && { userRef }) });
  if (!stream || !isOwn || !stream.reaches(after)) {
    hop.say({ kind: 'gone' });
    return hop.close();
  }
  hop.say({ kind: 'reading' });
  const stop = stream.read(after, {
    frame: (frame) => hop.say({ kind: 'frame', frame }),
    end: () => {
      hop.say({ kind: 'end' });
      hop.close();
    },
  });
  hop.listen({ heard: () => {}, closed: () => stop && stop() });
}

/**
 * D23: reads a stream from the host that runs the turn, from after frame `after` on; false where the pieces are gone, or the host is.
 * A host that is lost on the way ends the reading without a terminal, so that the reader comes back. The returned function ends it too.
 */
export async function readElsewhere(
  { turnId, host, userRef }: RunningElsewhere,
  after: number,
  reader: StreamReader,
  peers: Pick<Peers, 'has' | 'open'>,
): Promise<(() => void) | false> {
  const hop = peers.has(host) ? await peers.open(host) : undefined;
  if (!hop) return false;
  hop.say({ kind: 'read', turnId, after, ...(userRef !== undefined && { userRef }) });
  return new Promise((resolve) => {
    hop.listen({
      heard: (answer) => {
        if (answer.kind === 'reading') resolve(() => hop.terminate());
        else if (answer.kind === 'gone') resolve(false);
        else if (answer.kind === 'frame') reader.frame(answer.frame);
      },
      closed: () => {
        resolve(false);
        reader.end();
      },
    });
  });
}
