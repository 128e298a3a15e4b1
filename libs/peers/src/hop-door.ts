import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { inTrace } from '@doorledger/contracts';
import { refuseUpgrade, uncoded, type TurnStreams } from '@doorledger/doors';
import { WebSocketServer } from 'ws';
import { HOP_HEADER } from './hop-pass.js';
import { HopSocket, MAX_HOP_BYTES } from './hop-socket.js';
import type { EdgeSocket, HopWork } from './hop-work.js';
import { readOut } from './read-stream.js';
import { runForwarded } from './run-forwarded.js';

export interface HopDoorOptions {
  /** Undefined while this host takes no work: its peers do it themselves. */
  readonly work: () => HopWork | undefined;
  readonly streams: TurnStreams;
  /** Told of a request that is no hop of ours (E4). */
  readonly onStranger: () => void;
  /** Told of errors that are not ours, and gives the reference by which a reader is told of one (D22). */
  readonly report: (error: unknown) => string;
}

const ASKS_WITHIN_MS = 5000;
const LAST_WORDS_MS = 1000;

/** Where peers come in (L6). To everybody without a pass of this deployment it is not there. */
export class HopDoor {
  readonly #options: HopDoorOptions;
  readonly #live = new Set<EdgeSocket>();
  readonly #sockets = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: MAX_HOP_BYTES });
  #onEmpty = (): void => {};

  constructor(options: HopDoorOptions) {
    this.#options = options;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { work: open, onStranger } = this.#options;
    socket.on('error', () => socket.destroy());
    const work = open();
    const given = request.headers[HOP_HEADER];
    const pass = work?.passes.accept(typeof given === 'string' ? given : undefined);
    if (!work || !pass) {
      onStranger();
      return refuseUpgrade(socket, uncoded(404, 'There is no GET /v1/hops here.'));
    }
    this.#sockets.handleUpgrade(request, socket, head, (peer) => {
      const hop: EdgeSocket = new HopSocket(peer, work.key.channel(pass.id, 'holder'));
      this.#live.add(hop);
      peer.once('close', () => this.#left(hop));
      this.#serve(hop, work, request.headers.traceparent);
    });
  }

  /** R2: what runs has ended by now; its last words are taken by the edges. */
  async close(): Promise<void> {
    const isEmpty = new Promise<void>((resolve) => (this.#onEmpty = resolve));
    if (this.#live.size === 0) return;
    const late = setTimeout(() => {
      for (const hop of this.#live) hop.terminate();
    }, LAST_WORDS_MS);
    await isEmpty;
    clearTimeout(late);
  }

  /** `traceparent`: of the request that the edge serves (P8). */
  #serve(hop: EdgeSocket, work: HopWork, traceparent: unknown): void {
    const { streams, report } = this.#options;
    const silent = setTimeout(() => hop.terminate(), ASKS_WITHIN_MS);
    hop.listen({
      heard: (ask) => {
        clearTimeout(silent);
        if (ask.kind === 'read') readOut(hop, ask, streams);
        else if (ask.kind !== 'abort') void inTrace(traceparent, () => runForwarded(hop, ask, { ...work, streams, report }));
      },
      closed: () => clearTimeout(silent),
    });
  }

  #left(hop: EdgeSocket): void {
    this.#live.delete(hop);
    if (this.#live.size === 0) this.#onEmpty();
  }
}
