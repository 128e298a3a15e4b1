import { existsSync, readFileSync } from 'node:fs';
import { DoorledgerError } from '@doorledger/contracts';
import { keyIdOf, readCheckpoints, readPublicKeys, type CheckpointsRead, type Scratch } from '@doorledger/proof';
import { checkpointFolder } from '../../projector/src/checkpoints.js';
import type { CommandContext } from './command-context.js';
import type { Options } from './command-line.js';

export interface CheckpointsChecked extends CheckpointsRead {
  /** Ids of the keys that were trusted. */
  readonly keys: readonly string[];
}

/**
 * Reads the checkpoints of the deployment into `scratch`, signed by the keys of `--public-key`, else by those published beside them.
 * @throws DoorledgerError `ERR_NO_CHECKPOINTS`, ProofError `ERR_CHECKPOINT_KEY`
 */
export async function checkpointsOf({ config, say }: CommandContext, options: Options, scratch: Scratch): Promise<CheckpointsChecked> {
  if (options.checkpoints === false) {
    say('Without checkpoints nobody can tell whether records were changed or removed before today.');
    return { checkpoints: 0, keys: [] };
  }
  const folder = checkpointFolder(config);
  if (!existsSync(folder.path) || !(await folder.newest())) throw noCheckpoints();
  const given = options.publicKey;
  const keys =
    typeof given === 'string'
      ? readPublicKeys(given, textOf(given))
      : readPublicKeys('public-keys.pem beside the checkpoints', await folder.publicKeys());
  if (typeof given !== 'string')
    say('The keys beside the checkpoints are trusted: an auditor names the one they were given (--public-key).');
  return { ...(await readCheckpoints(folder, keys, (head) => scratch.addHead(head))), keys: keys.map(keyIdOf) };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DoorledgerError('ERR_CHECKPOINT_KEY', `The file ${file} cannot be read: name the public key of the deployment (PEM).`, {
      cause,
    });
  }
}

const noCheckpoints = () =>
  new DoorledgerError(
    'ERR_NO_CHECKPOINTS',
    'There are no checkpoints: name their folder (--checkpoints-folder), or verify without them (--no-checkpoints), which cannot find records that were changed together with their checksums, or cut off.',
  );
