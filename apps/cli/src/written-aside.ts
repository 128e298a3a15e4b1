import { lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { DoorledgerError } from '@doorledger/contracts';

/** Written at once: many lines cost one call of the system. */
const CHUNK_CHARS = 256 * 1024;

/** A file of lines that has its name only once it is whole and on the disk (X4). Another file of that name stays until then. */
export class WrittenAside {
  #text = '';
  #isOpen = true;

  private constructor(
    private readonly path: string,
    private readonly aside: string,
    private readonly handle: FileHandle,
  ) {}

  /**
   * A file of that name is replaced in the end if it is empty or begins as ours do; anything else is left alone.
   * @throws DoorledgerError `ERR_EXPORT_FILE`
   */
  static async open(path: string): Promise<WrittenAside> {
    if (!(await mayReplace(path)))
      throw new DoorledgerError(
        'ERR_EXPORT_FILE',
        'There is something else of that name, which no export wrote: name another file, or move it away.',
      );
    const aside = `${path}.partial`;
    return new WrittenAside(path, aside, await named(() => open(aside, 'w')));
  }

  async line(text: string): Promise<void> {
    this.#text += `${text}\n`;
    if (this.#text.length >= CHUNK_CHARS) await this.#flush();
  }

  /** @throws DoorledgerError `ERR_EXPORT_FILE` */
  async finish(): Promise<void> {
    await this.#flush();
    await named(() => this.handle.sync());
    this.#isOpen = false;
    await this.handle.close();
    await named(() => rename(this.aside, this.path));
  }

  /** Nothing of an unfinished file stays; a finished one does. */
  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.handle.close();
    await rm(this.aside, { force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (text !== '') await named(() => this.handle.appendFile(text));
  }
}

/** How each line of an export begins. */
const OURS = Buffer.from('{"topic":"');

async function mayReplace(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile()) return found === undefined;
  const file = await named(() => open(path, 'r'));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(OURS.length), 0, OURS.length, 0);
    return bytesRead === 0 || OURS.equals(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** @throws DoorledgerError `ERR_EXPORT_FILE` for whatever fails in `work` */
export async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new DoorledgerError('ERR_EXPORT_FILE', 'The file cannot be written: look at its folder, your rights and the free space there.', {
      cause,
    });
  }
}
