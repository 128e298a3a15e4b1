import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { named } from '../written-aside.js';
import { DoorledgerError } from '@doorledger/contracts';

/** A folder of files that has its name only once all of them are whole and on the disk (X4). */
export class FolderAside {
  readonly path: string;
  readonly aside: string;

  private constructor(path: string) {
    this.path = resolve(path);
    this.aside = `${this.path}.partial`;
  }

  /** @throws DoorledgerError `ERR_EXPORT_FILE`, also for a folder that holds something */
  static async open(path: string): Promise<FolderAside> {
    const folder = new FolderAside(path);
    const held = await readdir(folder.path).catch(({ code }: NodeJS.ErrnoException) => (code === 'ENOENT' ? [] : undefined));
    if (held?.length !== 0)
      throw new DoorledgerError(
        'ERR_EXPORT_FILE',
        'Facts are exported into a folder of their own: name one that is empty or not there yet.',
      );
    await named(async () => {
      await rm(folder.aside, { recursive: true, force: true });
      await mkdir(folder.aside);
    });
    return folder;
  }

  /** @throws DoorledgerError `ERR_EXPORT_FILE` */
  async finish(files: readonly string[]): Promise<void> {
    await named(async () => {
      for (const path of [...files, this.aside]) await synced(path);
      await rename(this.aside, this.path);
      await synced(dirname(this.path));
    });
  }

  /** Nothing of an unfinished folder stays; a finished one does. */
  async discard(): Promise<void> {
    await rm(this.aside, { recursive: true, force: true });
  }
}

async function synced(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
