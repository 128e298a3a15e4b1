import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { type LogFile, logPath } from './log-file.js';

/** Where the file system tells nothing (some network and macOS folders) a change is met this late. */
const SLOW_CHECK_MS = 1_000;

/** Tells a reader that another process has written: woken by the file system, and by a slow look in case that is silent. */
export class WalWatch {
  readonly #watcher?: FSWatcher;
  readonly #timer: NodeJS.Timeout;
  #version: number;

  constructor(dir: string, file: LogFile, onChange: () => void, onError: (error: unknown) => void) {
    this.#version = file.dataVersion();
    const look = (): void => {
      try {
        const version = file.dataVersion();
        if (version === this.#version) return;
        this.#version = version;
        onChange();
      } catch (error) {
        this.close();
        onError(error);
      }
    };
    this.#timer = setInterval(look, SLOW_CHECK_MS).unref();
    try {
      this.#watcher = watch(dirname(logPath(dir)), (_, name) => {
        if (!name || name.startsWith('log.db')) look();
      });
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      // No watches left on this machine: the slow look goes on.
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watcher?.close();
  }
}
