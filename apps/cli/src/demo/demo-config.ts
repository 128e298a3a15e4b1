import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig, type DoorledgerConfig } from '@doorledger/config';
import { DoorledgerError } from '@doorledger/contracts';
import { makeFolder } from '@doorledger/event-log';
import { sourcesOf } from '../setting-flags.js';

const CONFIG = join('examples', 'demo.config.yaml');

/** The checkout, from the sources as from what was built of them. */
function checkout(): string {
  for (let dir = dirname(fileURLToPath(import.meta.url)); ; dir = dirname(dir)) {
    if (existsSync(join(dir, CONFIG))) return dir;
    if (dir === dirname(dir)) throw new DoorledgerError('ERR_DEMO', `The demo needs ${CONFIG} of the checkout, which is not there.`);
  }
}

/**
 * The settings of the demo: its own file and flags, and nothing of what is set up here for real.
 * @throws ConfigError, DoorledgerError `ERR_DEMO`
 */
export function demoConfigOf(options: Readonly<Record<string, unknown>>): DoorledgerConfig {
  if (options.config !== undefined)
    throw new DoorledgerError('ERR_DEMO', `The demo runs on ${CONFIG} and on no other configuration: leave out --config.`);
  const root = checkout();
  const sources = { ...sourcesOf(options), file: join(root, CONFIG) };
  // The file names its servers as seen from the checkout; the command may be typed anywhere.
  const servers = loadConfig({ ...sources, env: {} }).tools.servers.map((server) => ({ ...server, cwd: root }));
  return loadConfig({ ...sources, env: { DOORLEDGER_TOOLS_SERVERS: JSON.stringify(servers) } });
}

/** A folder with a log that no demo began is left alone. @throws DoorledgerError `ERR_DEMO`, `ERR_DATA_UNWRITABLE` */
export function claimFolder(data: string): void {
  const mark = join(data, 'demo');
  if (existsSync(join(data, 'log.db')) && !existsSync(mark))
    throw new DoorledgerError('ERR_DEMO', 'The data folder holds a log that no demo began: choose another folder with --data.');
  try {
    makeFolder(data);
    writeFileSync(mark, 'What lies here was made by `doorledger demo`. Remove the folder to begin anew.\n');
  } catch (cause) {
    throw new DoorledgerError('ERR_DATA_UNWRITABLE', 'The folder of the demo cannot be made or written: name another with --data.', {
      cause,
    });
  }
}
