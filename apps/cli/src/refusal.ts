import { ConfigError } from '@doorledger/config';
import { DoorledgerError } from '@doorledger/contracts';
import { errorLine } from '@doorledger/observability';

/** Says on stderr why a command could not do its work: one sentence (for a wrong configuration one per mistake), no stack unless asked for. */
export function tell(error: unknown, frames = false): void {
  const sentences = error instanceof ConfigError ? error.problems : [sentenceFor(error)];
  for (const sentence of sentences) process.stderr.write(`doorledger: ${sentence}\n`);
  if (frames) process.stderr.write(`${JSON.stringify(errorLine(error, true))}\n`);
}

function sentenceFor(error: unknown): string {
  if (error instanceof DoorledgerError) return `${error.message} (${error.code})`;
  const { code, port } = error as { code?: unknown; port?: unknown };
  const place = typeof port === 'number' ? `Port ${port}` : 'The port';
  if (code === 'EADDRINUSE') return `${place} is taken: stop what listens there, or choose another with --port or --projector-port.`;
  if (code === 'EACCES' && port !== undefined) return `${place} may not be opened by this user: choose one above 1023 with --port.`;
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') return 'There is no space on the disk of the data folder: free some. (ERR_DISK_FULL)';
  const line = errorLine(error, false);
  return `Something unexpected failed (${line.code ?? line.class}); run it again with --logging-level debug to see where.`;
}
