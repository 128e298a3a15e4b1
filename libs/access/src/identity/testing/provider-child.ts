import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A real OpenID provider as a process of its own: it can be killed, and come back at the same address. */
export class ProviderChild {
  #child?: ChildProcess;

  /** Resolves when it listens. */
  async start(program: string, args: readonly string[]): Promise<void> {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#child = child;
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('The provider ended by itself.')));
    await Promise.race([once(child.stdout, 'data'), ended]);
    ended.catch(() => undefined);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}
