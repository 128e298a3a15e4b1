import type { Caller } from '../caller.js';
import { bodyOf, eventOf, type Terminal } from '../wire/terminal.js';
import type { ToolProgress } from '@doorledger/turns';
import type { DoorWatch } from './turn-handler.js';

/** One frame of a turn's stream, numbered from 1 (D23). */
export interface Frame {
  readonly n: number;
  readonly event: string;
  readonly data: string;
}

export interface StreamBounds {
  /** D24: how long a turn goes on while nobody reads its stream; undefined: to its end. */
  readonly abandonedAfterMs: number | undefined;
  /** How long a stream can still be resumed after its end. */
  readonly keptMs: number;
}

/** D23: what of a running turn can be read again. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** What ended turns keep together, in characters: past it the oldest cannot be read again, so that no caller can fill this process. */
const MAX_ENDED_KEPT = 32 * 1024 * 1024;

/** Who reads a stream. `end` follows the terminal frame. */
export interface StreamReader {
  frame(frame: Frame): void;
  end(): void;
}

/** A turn's pieces while it runs, for its reader and for one that comes back. */
export class TurnStream implements DoorWatch {
  readonly #streams: TurnStreams;
  readonly #abort = new AbortController();
  readonly #readers = new Set<StreamReader>();
  readonly #kept: Frame[] = [];
  #keptBytes = 0;
  #last = 0;
  #turnId?: string;
  #owner?: string;
  #abandoned?: NodeJS.Timeout;
  #isEnded = false;

  constructor(streams: TurnStreams) {
    this.#streams = streams;
  }

  /** Aborts when its last reader is gone for too long. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What is kept of it. */
  get bytes(): number {
    return this.#keptBytes;
  }

  get turnId(): string | undefined {
    return this.#turnId;
  }

  begins(turnId: string, { userRef }: Caller): void {
    this.#turnId = turnId;
    this.#owner = userRef;
    this.#streams.add(turnId, this);
  }

  /** Characters that can be read again. */
  get kept(): number {
    return this.#keptBytes;
  }

  isOf({ userRef }: Caller): boolean {
    return this.#owner === userRef;
  }

  step(step: number): void {
    this.#push('progress', JSON.stringify({ step }));
  }

  piece(text: string): void {
    this.#push('chunk', JSON.stringify({ text }));
  }

  tool(progress: ToolProgress): void {
    this.#push('progress', JSON.stringify(progress));
  }

  end(terminal: Terminal): void {
    this.#push(eventOf(terminal), JSON.stringify(bodyOf(terminal)));
    this.#isEnded = true;
    clearTimeout(this.#abandoned);
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
    if (this.#turnId !== undefined) this.#streams.letGoLater(this);
  }

  /** Whether what comes after frame `n` is still kept. */
  reaches(after: number): boolean {
    return after + 1 >= (this.#kept[0]?.n ?? this.#last + 1);
  }

  /** Reads from after frame `n` on; false when what comes next is no longer kept. The returned function ends the reading. */
  read(after: number, reader: StreamReader): (() => void) | false {
    if (!this.reaches(after)) return false;
    clearTimeout(this.#abandoned);
    for (const frame of this.#kept) if (frame.n > after) reader.frame(frame);
    if (this.#isEnded) {
      reader.end();
      return () => {};
    }
    this.#readers.add(reader);
    return () => this.#left(reader);
  }

  #left(reader: StreamReader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    const { abandonedAfterMs } = this.#streams.bounds;
    if (abandonedAfterMs === undefined) return;
    this.#abandoned = setTimeout(() => this.#abort.abort(), abandonedAfterMs);
    this.#abandoned.unref();
  }

  #push(event: string, data: string): void {
    const frame = { n: ++this.#last, event, data };
    this.#kept.push(frame);
    this.#keptBytes += data.length;
    while (this.#keptBytes > MAX_KEPT_BYTES && this.#kept.length > 1) this.#keptBytes -= this.#kept.shift()!.data.length;
    for (const reader of this.#readers) reader.frame(frame);
  }
}

/** The streams of this host's turns, by turnId. */
export class TurnStreams {
  readonly #byTurn = new Map<string, TurnStream>();
  /** Oldest first, each with the timer of its time. */
  readonly #ended = new Map<TurnStream, NodeJS.Timeout>();
  #endedKept = 0;

  constructor(readonly bounds: StreamBounds) {}

  begin(): TurnStream {
    return new TurnStream(this);
  }

  of(turnId: string): TurnStream | undefined {
    return this.#byTurn.get(turnId);
  }

  add(turnId: string, stream: TurnStream): void {
    this.#byTurn.set(turnId, stream);
  }

  letGoLater(stream: TurnStream): void {
    this.#ended.set(stream, setTimeout(() => this.#letGo(stream), this.bounds.keptMs).unref());
    this.#endedKept += stream.kept;
    for (const [oldest] of this.#ended) if (this.#endedKept > MAX_ENDED_KEPT) this.#letGo(oldest);
  }

  #letGo(stream: TurnStream): void {
    clearTimeout(this.#ended.get(stream));
    this.#ended.delete(stream);
    this.#endedKept -= stream.kept;
    const turnId = stream.turnId!;
    if (this.#byTurn.get(turnId) === stream) this.#byTurn.delete(turnId);
  }
}
