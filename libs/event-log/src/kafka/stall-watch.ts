import type { ClusterView } from './cluster-view.js';
import type { Follower } from './follower.js';
import { listRanges } from './list-offsets.js';

const LOOK_MS = 2000;

/** Sees that a follower stands still while the log has more for it (K9), whatever the reason. */
export class StallWatch {
  readonly #view: ClusterView;
  readonly #onStall: (cause: Error) => void;
  #timer?: NodeJS.Timeout;
  #isClosed = false;
  #follower?: Follower;
  /** Where it was at the last look. */
  #before?: string;

  constructor(view: ClusterView, onStall: (cause: Error) => void) {
    this.#view = view;
    this.#onStall = onStall;
    this.#lookLater();
  }

  see(follower: Follower | undefined): void {
    this.#follower = follower;
    this.#before = undefined;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** One look at a time: with the brokers away it may take long. */
  #lookLater(): void {
    if (this.#isClosed) return;
    const look = () =>
      void this.#look()
        .catch(() => {})
        .then(() => this.#lookLater());
    this.#timer = setTimeout(look, LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    const follower = this.#follower;
    // A receiver at work is slow, not stalled.
    if (!follower || follower.isDelivering) return;
    const here = follower.positions.join();
    const isBehind = await this.#isBehind(follower);
    if (follower !== this.#follower) return;
    const stands = here === this.#before && here === follower.positions.join() && !follower.isDelivering;
    this.#before = here;
    if (isBehind && stands) this.#onStall(new Error('Reading did not move while the log grew.'));
  }

  async #isBehind({ spans, positions }: Follower): Promise<boolean> {
    for (const topic of new Set(spans.map((span) => span.topic))) {
      const ofTopic = spans.flatMap((span, i) => (span.topic === topic ? [{ partition: span.partition, position: positions[i]! }] : []));
      const ranges = await listRanges(
        this.#view,
        topic,
        ofTopic.map(({ partition }) => partition),
      );
      if (ranges.some(({ end }, i) => end > ofTopic[i]!.position)) return true;
    }
    return false;
  }
}
