import { createHash } from 'node:crypto';

const MAX = 64;
const DIGEST = 20;
/** One name of each side of the one dot, as models take them and without two underscores in a row. */
const USUAL = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*\.[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/;

/**
 * A tool's name in at most 64 of `[A-Za-z0-9_-]`, the same in every process (M7). The dot of `server.tool` becomes two underscores;
 * a name that does not fit that way has none of those and carries 80 bits of its own SHA-256, so no two names meet.
 */
export function modelName(name: string): string {
  if (name.length < MAX && USUAL.test(name)) return name.replace('.', '__');
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST);
  const readable = name.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, MAX - DIGEST - 1);
  return `${readable.replace(/_$/, '')}_${digest}`;
}
