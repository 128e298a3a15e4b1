import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@doorledger/event-log';

const NAME = /^(\d{8,})\.json$/;
const SERIES = /^[0-9a-f-]{36}$/;
const PUBLIC_KEYS = 'public-keys.pem';

/** Where a checkpoint lies in its folder. */
export interface CheckpointPlace {
  readonly series: string;
  readonly number: number;
}

/** Checkpoints in a folder, one file each: `<series>/<number>.json`, and beside them the public keys that signed them. */
export class CheckpointFolder {
  constructor(readonly path: string) {}

  /** Durable and whole when it resolves. */
  async write({ series, number }: CheckpointPlace, envelope: string): Promise<void> {
    await writeAside(this.#fileOf({ series, number }), envelope);
  }

  read(place: CheckpointPlace): Promise<string> {
    return readFile(this.#fileOf(place), 'utf8');
  }

  /** Every series, oldest first. @throws what the file system says where there is no folder */
  async series(): Promise<string[]> {
    return (await readdir(this.path)).filter((name) => SERIES.test(name)).sort();
  }

  /** The numbers that are there of a series, in order. */
  async numbersOf(series: string): Promise<number[]> {
    const names = await readdir(join(this.path, series));
    return names.flatMap((name) => NAME.exec(name)?.slice(1).map(Number) ?? []).sort((a, b) => a - b);
  }

  async newest(): Promise<CheckpointPlace | undefined> {
    for (const series of (await this.series()).reverse()) {
      const number = (await this.numbersOf(series)).at(-1);
      if (number !== undefined) return { series, number };
    }
    return undefined;
  }

  /** The keys that were published here, PEM after PEM; empty where none were. */
  async publicKeys(): Promise<string> {
    return readFile(join(this.path, PUBLIC_KEYS), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
  }

  /** Makes the folder where there is none, and adds the key to those published. */
  async publish(pem: string): Promise<void> {
    makeFolder(this.path);
    const published = await this.publicKeys();
    if (!published.includes(pem)) await writeAside(join(this.path, PUBLIC_KEYS), published + pem);
  }

  #fileOf({ series, number }: CheckpointPlace): string {
    return join(this.path, series, `${String(number).padStart(8, '0')}.json`);
  }
}

async function writeAside(file: string, text: string): Promise<void> {
  makeFolder(dirname(file));
  const aside = `${file}.${process.pid}.new`;
  const opened = await open(aside, 'w', 0o644);
  try {
    await opened.writeFile(text);
    await opened.sync();
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  } finally {
    await opened.close();
  }
  await syncFolder(dirname(file));
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
