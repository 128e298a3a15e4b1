import { whyInvalid } from '@doorledger/contracts';
import type { StoredRecord } from '@doorledger/event-log';
import type { Scratch, ScratchMap } from './sqlite-scratch.js';
import type { Violation, ViolationPlace } from './violation.js';

interface KnownToolSession {
  readonly eventId?: string;
  readonly place: ViolationPlace;
}

const TYPES: ReadonlySet<string | undefined> = new Set([
  'tool-session.started',
  'tool-session.reused',
  'tool-session.closed',
  'tool-session.close-failed',
]);

/** One start per tool session, before everything else of it. Of its closes the first stands (T40): later ones are attempts. */
export class ToolSessionCheck {
  readonly #started: ScratchMap<KnownToolSession>;

  constructor(scratch: Scratch) {
    this.#started = scratch.map();
  }

  take({ topic, partition, offset, decoded: { type, id, body } }: StoredRecord): Violation | undefined {
    if (!TYPES.has(type) || !body || whyInvalid(body) !== undefined) return undefined;
    const place: ViolationPlace = { topic, partition, offset };
    const toolSessionId = body.data.toolSessionId as string;
    const known = this.#started.get(toolSessionId);
    if (type === 'tool-session.started') {
      if (!known) this.#started.set(toolSessionId, { ...(id !== undefined && { eventId: id }), place });
      else if (known.eventId !== id) return violation('A tool session was started twice.', [known.place, place]);
      return undefined;
    }
    return known ? undefined : violation('A tool session was used or closed that nobody had started.', [place]);
  }
}

const violation = (sentence: string, positions: readonly ViolationPlace[]): Violation => ({
  statement: 'one-tool-session',
  sentence,
  positions,
});
