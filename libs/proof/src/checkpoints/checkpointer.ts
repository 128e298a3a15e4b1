import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { ProofError } from '../errors.js';
import { checkpointText, readCheckpoint, refOf, type Checkpoint, type CheckpointRef, type PartitionHead } from './checkpoint.js';
import type { CheckpointFolder } from './checkpoint-folder.js';
import { open, seal } from './envelope.js';
import { publicPem, readPublicKeys, type SigningKey } from './signing-key.js';

export interface CheckpointerOptions {
  readonly folder: CheckpointFolder;
  readonly key: SigningKey;
  /** The log file's id or the Kafka cluster's id. */
  readonly place: string;
  /** The chains of all partitions as of one moment, whoever computed them. */
  readonly heads: () => Promise<readonly PartitionHead[]>;
  readonly everyMs: number;
  readonly everyRecords: number;
  /** Told once per outage: it is tried again at the next turn. */
  readonly onProblem: (error: unknown) => void;
}

/** Signs what the ledger has read of the log: at its first move, every so many ms or records if anything moved, and at its end (V1). */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  readonly #series = uuidv7();
  #number = 0;
  #previous: CheckpointRef | null;
  #written: readonly PartitionHead[] = [];
  #records = 0;
  #hasBegun = false;
  #failed = false;
  #last: Promise<void> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  private constructor(options: CheckpointerOptions, previous: CheckpointRef | null) {
    this.#options = options;
    this.#previous = previous;
    this.#timer = setInterval(() => void this.write(), options.everyMs);
    this.#timer.unref();
  }

  /** Publishes the key beside the checkpoints. @throws ProofError `ERR_CHECKPOINTS_UNWRITABLE` */
  static async begin(options: CheckpointerOptions): Promise<Checkpointer> {
    const { folder, key } = options;
    try {
      await folder.publish(publicPem(key.publicKey));
      return new Checkpointer(options, await newestOf(folder));
    } catch (cause) {
      if (cause instanceof ProofError || (cause as NodeJS.ErrnoException).code === 'ENOSPC') throw cause;
      throw new ProofError(
        'ERR_CHECKPOINTS_UNWRITABLE',
        'The folder of the checkpoints cannot be written: give this user the right, name another one (setting checkpoints.folder), or turn them off here (checkpoints.write).',
        { cause },
      );
    }
  }

  /** Tells that so many more records are in the ledger. The first of a life are signed at once: who verifies then finds a checkpoint. */
  moved(records: number): void {
    this.#records += records;
    if (this.#hasBegun && this.#records < this.#options.everyRecords) return;
    this.#hasBegun = true;
    this.#records = 0;
    void this.write();
  }

  /** One after the other. Never rejects: what cannot be written now is covered by the next one. */
  write(): Promise<void> {
    return (this.#last = this.#last.then(() =>
      this.#writeOne().then(
        () => void (this.#failed = false),
        (error: unknown) => {
          if (!this.#failed) this.#options.onProblem(error);
          this.#failed = true;
        },
      ),
    ));
  }

  /** Writes the last one. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  async #writeOne(): Promise<void> {
    const { folder, key, place, heads } = this.#options;
    const partitions = await heads();
    if (partitions.length === 0 || isDeepStrictEqual(partitions, this.#written)) return;
    const checkpoint: Checkpoint = {
      version: 1,
      series: this.#series,
      number: this.#number + 1,
      previous: this.#previous,
      at: new Date().toISOString(),
      place,
      partitions,
    };
    const text = checkpointText(checkpoint);
    await folder.write(checkpoint, seal(text, key));
    this.#number = checkpoint.number;
    this.#previous = refOf(checkpoint, text);
    this.#written = partitions;
  }
}

/** What a new series goes on from. One that cannot be read is none of ours: `verify` tells of it. */
async function newestOf(folder: CheckpointFolder): Promise<CheckpointRef | null> {
  const newest = await folder.newest();
  if (!newest) return null;
  const text = open(await folder.read(newest), readPublicKeys('public-keys.pem', await folder.publicKeys()));
  const checkpoint = text === undefined ? undefined : readCheckpoint(text);
  return checkpoint ? refOf(checkpoint, text!) : null;
}
