import { type ChildProcess, spawn } from 'node:child_process';

/** Reads `+ group` and `- group`; when its input ends it kills what is left and goes. */
const SCRIPT = `
left=' '
while read -r op group; do
  case $op in
    +) left="$left$group " ;;
    -) left="\${left%% $group *} \${left#* $group }" ;;
  esac
done
for group in $left; do kill -KILL "-$group" 2>/dev/null; done
`;

/**
 * Ends the process groups of stdio servers when the host dies without a word (kill -9): one small shell process, started with
 * the first server and gone with the last, in a group of its own, that waits for the host's end of its pipe to close (M8).
 */
export class OrphanGuard {
  #shell: ChildProcess | undefined;
  readonly #groups = new Set<number>();

  watch(group: number): void {
    this.#groups.add(group);
    if (this.#shell) this.#tell(`+ ${group}\n`);
    else this.#start();
  }

  forget(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#tell(`- ${group}\n`);
    if (this.#groups.size > 0) return;
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #start(): void {
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '' },
    });
    // Without a shell, servers end by the close of their input only; the next server tries again.
    shell.on('error', () => {});
    shell.once('exit', () => {
      if (this.#shell === shell) this.#shell = undefined;
    });
    shell.stdin?.on('error', () => {});
    shell.unref();
    (shell.stdin as unknown as { unref(): void } | null)?.unref();
    this.#shell = shell;
    for (const group of this.#groups) this.#tell(`+ ${group}\n`);
  }

  #tell(line: string): void {
    this.#shell?.stdin?.write(line);
  }
}

/** One per process: what it guards against is the process's own end. */
export const orphanGuard = new OrphanGuard();
