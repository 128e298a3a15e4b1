import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A server without us, in a process of its own. */
export interface Bare {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startBare(): Promise<Bare> {
  const program = fileURLToPath(new URL(`./bare-server${extname(import.meta.url)}`, import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    url: line.toString().trim(),
    pid: child.pid!,
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}
