import { DoorledgerError } from '@doorledger/contracts';
import { beginRotation, endRotation, loadDeploymentKey, rewrapKeys } from '@doorledger/privacy';
import { openTruth } from '../../../host/src/open-truth.js';
import type { CommandContext, ExitCode } from '../command-context.js';
import { Parts } from '../parts.js';
import { progressOn } from '../progress.js';

/**
 * Wraps every content key under another key (X1). Beside the embedded log it makes that key itself, in `wrapping.key`, and needs the folder for
 * itself; on a cluster it takes the first of `DOORLEDGER_WRAPPING_KEYS`, which every host has to know. Interrupted, it goes on where it was.
 * @throws DoorledgerError `ERR_NO_WRAPPING_KEYS`, `ERR_KEY_MISMATCH`; LogRefusedError `ERR_DATA_IN_USE`
 */
export async function rotateKey(context: CommandContext): Promise<ExitCode> {
  const { config, output, say } = context;
  const { data: dir } = config;
  const isOwn = config.log === 'sqlite' && config.wrappingKeys === undefined;
  if (!isOwn && config.wrappingKeys === undefined)
    throw new DoorledgerError(
      'ERR_NO_WRAPPING_KEYS',
      'Hosts of a cluster are told their wrapping keys: set DOORLEDGER_WRAPPING_KEYS to the new key, a comma and the word deployment, on every host, then rotate.',
    );
  const parts = new Parts(context);
  const progress = progressOn(process.stderr, 'rotate-key', { unit: 'keys' });
  try {
    // As a reader first: a writer would make what is not there.
    await parts.log();
    const truth = parts.keep(await openTruth(config, { onWaiting: parts.onWaiting, signal: parts.signal }));
    if (isOwn) beginRotation(dir);
    const { wrapping } = isOwn ? loadDeploymentKey({ configured: config.key, dir, mayCreate: false }) : truth.deploymentKey;
    const rewrapped = await rewrapKeys({ keys: truth.keyStore, wrapping, onProgress: (done, total) => progress.update(done, total) });
    const keys = await truth.keyStore.count();
    if (isOwn) endRotation(dir);
    progress.stop();
    if (isOwn) say('The new key is in wrapping.key: keep a copy beside that of deployment.key, apart from the backups.');
    else say('Every content key lies under the first wrapping key now: the others may be taken out of the setting.');
    await output.json({ keys, rewrapped });
    return 0;
  } finally {
    progress.stop();
    await parts.close();
  }
}
