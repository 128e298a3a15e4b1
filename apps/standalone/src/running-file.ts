import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@doorledger/event-log';

/** What commands of the same user find in the data folder of a running process: where it listens, and what opens its operator API. */
export interface RunningFile {
  readonly token: string;
  /** The doors are open: from here on commands find this process. */
  announce(url: string): void;
  /** Of a process that never announced itself the file is another one's, and stays. */
  remove(): void;
}

export function runningFile(dir: string): RunningFile {
  const file = join(dir, 'running.json');
  const token = randomBytes(24).toString('base64url');
  let isAnnounced = false;
  return {
    token,
    announce: (url) => {
      makeFolder(dir);
      const aside = `${file}.${process.pid}`;
      writeFileSync(aside, JSON.stringify({ pid: process.pid, url, token }), { mode: 0o600 });
      renameSync(aside, file);
      isAnnounced = true;
    },
    remove: () => {
      if (isAnnounced) rmSync(file, { force: true });
    },
  };
}
