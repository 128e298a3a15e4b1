import { parentPort, workerData } from 'node:worker_threads';
import { SqliteFile } from '@doorledger/event-log/sqlite';
import { SqliteWriter } from './writer.js';
import type { WriterReply, WriterRequest, WriterStart } from './writer-protocol.js';

/**
 * The thread that owns a ledger's write connection, so that doors do not wait for its commits. It imports little: a process
 * pays for it at every start.
 */
const port = parentPort!;
const { path, cacheKib, walBytes } = workerData as WriterStart;
const file = new SqliteFile(path, { role: 'writer', synchronous: 'NORMAL' });
file.db.pragma(`cache_size = -${cacheKib}`);
const writer = new SqliteWriter(file.db);

/** Takes the transaction back. */
class StaleError extends Error {}

function commit({ advances, writes }: WriterRequest & { type: 'commit' }): WriterReply {
  try {
    file.transact(() => {
      for (const advance of advances) if (!writer.advance(advance)) throw new StaleError();
      for (const write of writes) writer.write(write);
    });
    return { type: 'committed' };
  } catch (error) {
    if (error instanceof StaleError) return { type: 'stale' };
    return { type: 'failed', message: (error as Error).message, code: (error as { code?: string }).code };
  }
}

port.on('message', (request: WriterRequest) => {
  if (request.type === 'close') {
    port.close();
    return file.close();
  }
  port.postMessage(commit(request));
  if (file.walBytes() > walBytes) file.checkpointIfDue();
});
