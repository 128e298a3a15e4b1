import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A disk of so many megabytes at `dir`, which only processes that are begun with `enter` see; it needs no rights but user namespaces.
 * @throws where those are not allowed
 */
export async function smallDisk(dir, megabytes) {
  mkdirSync(dir, { recursive: true });
  const script = `mount -t tmpfs -o size=${megabytes}m tmpfs "$0" && echo mounted && exec cat`;
  const holder = spawn('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', script, dir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    holder.stdout.once('data', resolve);
    holder.once('exit', () => reject(new Error('A small disk needs unshare(1) and user namespaces.')));
  });
  const outside = `/proc/${holder.pid}/root${dir}`;
  const filler = join(outside, 'filler');
  return {
    outside,
    enter: ['nsenter', '--user', '--mount', '--preserve-credentials', '--target', String(holder.pid)],
    fill() {
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(256 * 1024), { flag: 'a' });
      } catch (error) {
        if (error.code !== 'ENOSPC') throw error;
      }
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => void holder.kill('SIGKILL'),
  };
}
