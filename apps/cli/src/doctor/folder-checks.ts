import { accessSync, constants, existsSync, statSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { DoorledgerConfig } from '@doorledger/config';
import { well, wrong, type Finding } from './finding.js';

/** What every append and every ledger commit needs before the disk is full. */
const LEAST_FREE_BYTES = 1024 ** 3;
/** Files that open something; the product makes them for their owner alone. */
const SECRETS = ['deployment.key', 'running.json'];
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** The data folder: there, writable, nobody else's, with room. Without one, a start makes it. */
export function folderChecks({ data }: Pick<DoorledgerConfig, 'data'>, freeBytes = freeBytesOf): Finding[] {
  if (!existsSync(data)) return [well('data folder', 'It is not there yet: the first start makes it.')];
  if (!statSync(data).isDirectory())
    return [wrong('data folder', 'The setting data names a file.', 'Name a folder (DOORLEDGER_DATA).', 'ERR_DATA_UNWRITABLE')];
  return [writable(data), ...modes(data), disk(freeBytes(data))];
}

function writable(dir: string): Finding {
  try {
    accessSync(dir, constants.W_OK);
    return well('data folder', 'It can be written.');
  } catch {
    return wrong('data folder', 'This user cannot write it.', 'Give its owner the right to, or run as its owner.', 'ERR_DATA_UNWRITABLE');
  }
}

/** Windows has no such modes. */
function modes(dir: string): Finding[] {
  if (process.platform === 'win32') return [];
  const open = SECRETS.filter((name) => existsSync(join(dir, name)) && (statSync(join(dir, name)).mode & OTHERS) !== 0);
  const findings = open.map((name) =>
    wrong('file modes', `${name} is open to other users.`, `chmod 600 ${name}, and think about who may have read it.`, 'ERR_KEY_FILE_MODE'),
  );
  if ((statSync(dir).mode & OTHERS_WRITE) !== 0)
    findings.push(wrong('file modes', 'Other users may write the data folder.', 'chmod 700, or at least go-w, the data folder.'));
  return findings.length > 0 ? findings : [well('file modes', 'What opens something is its owner’s alone.')];
}

function disk(free: number): Finding {
  const says = `${(free / 1024 ** 3).toFixed(1)} GiB are free on the disk of the data folder.`;
  return free >= LEAST_FREE_BYTES
    ? well('disk', says)
    : wrong('disk', says, 'Free some before it is full: appends are refused then.', 'ERR_DISK_FULL');
}

function freeBytesOf(dir: string): number {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
}
