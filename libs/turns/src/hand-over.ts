import { randomUUID } from 'node:crypto';
import type { ArtifactNote } from '@doorledger/agent';
import type { CallEnd } from '@doorledger/mcp';
import type { ContentScope, PrivateWriter } from './content.js';
import type { Run } from './lease.js';
import type { HandOverFailure } from './turn-ask.js';

type ToolFile = Extract<CallEnd, { files: unknown }>['files'][number];

/** H2, in bytes. */
const MAX_BYTES = 1024 * 1024;

export interface HandOverBounds {
  /** H1, in ms. */
  readonly artifactsTimeoutMs: number;
  /** H2: how long a file can be asked for, in ms. */
  readonly artifactsKeptMs: number;
}

/** Makes artifacts of the files that tools return (H2). What goes wrong is kept, once, and never fails the turn (H1). */
export class HandOver {
  readonly notes: ArtifactNote[] = [];
  failure?: HandOverFailure;
  readonly #content: Pick<PrivateWriter, 'artifact'>;
  readonly #owner: ContentScope['owner'] | undefined;
  readonly #signal: AbortSignal;
  readonly #bounds: HandOverBounds;

  /** @param owner the session's; a turn without a session hands nothing over, since nobody could ask for it */
  constructor(content: Pick<PrivateWriter, 'artifact'>, owner: ContentScope['owner'], bounds: HandOverBounds, signal: AbortSignal) {
    this.#bounds = bounds;
    this.#content = content;
    this.#owner = owner?.kind === 'session' ? owner : undefined;
    this.#signal = signal;
  }

  /** Never throws. */
  async store(run: Run, files: readonly ToolFile[]): Promise<ArtifactNote[]> {
    const owner = this.#owner;
    if (!owner) return [];
    const stored = await Promise.all(files.map((file) => this.#one({ ...run, owner }, file)));
    const notes = stored.filter((note) => note !== undefined);
    this.notes.push(...notes);
    return notes;
  }

  async #one(scope: ContentScope, file: ToolFile): Promise<ArtifactNote | undefined> {
    const { mimeType, bytes, name } = file;
    const { artifactsTimeoutMs, artifactsKeptMs } = this.#bounds;
    const note = { ref: randomUUID(), mimeType, ...(name !== undefined && { name }), size: bytes.byteLength };
    let timer: NodeJS.Timeout | undefined;
    try {
      if (bytes.byteLength > MAX_BYTES) throw new Error('The file is larger than an artifact may be.');
      const late = new Promise<never>((_, reject) => (timer = setTimeout(reject, artifactsTimeoutMs, new TimeoutError())));
      await Promise.race([this.#content.artifact(scope, note.ref, { ...file, expiresAt: Date.now() + artifactsKeptMs }), late]);
      return note;
    } catch (error) {
      this.failure ??= this.#signal.aborted ? 'caller-gone' : error instanceof TimeoutError ? 'timed-out' : 'operation-failed';
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}

class TimeoutError extends Error {}
