import type { Citation } from '@doorledger/event-log';
import { askLedger, type LedgerReader, type StoredArtifact } from '@doorledger/ledger';
import type { ContentKeys } from '@doorledger/privacy';
import { Refused } from '../refused.js';
import type { Asked } from '../wire/asked.js';
import { failure, type Terminal } from '../wire/terminal.js';
import { MAX_ARTIFACT_BYTES, openArtifact } from './artifact-file.js';

export interface ArtifactOpsOptions {
  readonly ledger: Pick<LedgerReader, 'artifact'>;
  readonly keys: Pick<ContentKeys, 'keyById'>;
  readonly now: () => number;
}

/** A session that serves the caller, and what its standing records have named past the ledger. */
export interface ArtifactSession {
  readonly ref: string;
  readonly citations: readonly Citation[];
}

const MAX_IN_FLIGHT = 8;

/** References are UUIDs. Whatever else is asked for is not there, and no store is asked for it (O5). */
const REF = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The artifact ops of D15, for callers that ownership let in (H2). */
export class ArtifactOps {
  readonly #options: ArtifactOpsOptions;
  /** By sessionRef: ops at work. */
  readonly #inFlight = new Map<string, number>();

  constructor(options: ArtifactOpsOptions) {
    this.#options = options;
  }

  /** @throws Refused; ContentError where the file cannot be read any more (O4) */
  async serve(asked: Extract<Asked, { kind: 'artifact-op' }>, session: ArtifactSession): Promise<Terminal> {
    const inFlight = this.#inFlight.get(session.ref) ?? 0;
    if (inFlight >= MAX_IN_FLIGHT)
      return failure('ERR_ARTIFACT_OPS_BUSY', 'Too many artifacts of this session are being read. Try again soon.');
    this.#inFlight.set(session.ref, inFlight + 1);
    try {
      return await this.#answer(asked, session);
    } finally {
      const left = this.#inFlight.get(session.ref)! - 1;
      if (left > 0) this.#inFlight.set(session.ref, left);
      else this.#inFlight.delete(session.ref);
    }
  }

  async #answer({ op, ref }: Extract<Asked, { kind: 'artifact-op' }>, session: ArtifactSession): Promise<Terminal> {
    const { keys, now } = this.#options;
    const { bytes, size, mimeType, name, expiresAt } = await openArtifact(keys, await this.#stored(ref, session));
    if (size > MAX_ARTIFACT_BYTES || expiresAt <= now()) throw noSuchArtifact();
    const meta = { mimeType, ...(name !== undefined && { name }), size, expiresAt: new Date(expiresAt).toISOString() };
    return { kind: 'artifact', body: { artifact: { ref, meta, ...(op === 'artifact-get' && { data: bytes }) } } };
  }

  /** @throws Refused */
  async #stored(ref: string, { ref: sessionRef, citations }: ArtifactSession): Promise<StoredArtifact> {
    const { ledger } = this.#options;
    if (!REF.test(ref)) throw noSuchArtifact();
    const reading = await askLedger(async () => {
      const read = await ledger.artifact(sessionRef, ref, citations.at(-1)?.offset ?? -1);
      return read.kind === 'behind' ? undefined : read;
    });
    if (!reading) throw new Refused(failure('ERR_LEDGER_BEHIND', 'The ledger has not read the last turn yet. Try again soon.'));
    if (reading.kind === 'missing') throw noSuchArtifact();
    return reading.artifact;
  }
}

/** One text for missing, foreign and expired. */
const noSuchArtifact = (): Refused => new Refused(failure('ERR_ARTIFACT_NOT_FOUND', 'There is no such artifact.'));
