import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { rssMb, serve } from '../../test/faults/served-process.js';
import { compared, type Bench } from '../row.js';
import { inScratch } from '../scratch.js';
import { startBare } from './bare.js';

/** Opened first: they go into memory that the process has anyway. */
const FIRST = 1000;
const SOCKETS = 4000;
const AT_ONCE = 50;
const REST_MS = 4000;
const KB_PER_MB = 1024;

async function openSockets(url: string, count: number): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: AT_ONCE }, () => new WebSocket(`${url.replace('http', 'ws')}/conversation`));
    await Promise.all(some.map((socket) => once(socket, 'open')));
    sockets.push(...some);
  }
  return sockets;
}

async function closeAll(sockets: readonly WebSocket[]): Promise<void> {
  const closed = Promise.all(sockets.map((socket) => once(socket, 'close')));
  for (const socket of sockets) socket.close();
  await closed;
}

/** KB of resident memory per socket that is open and idle. */
async function kbPerSocket(url: string, pid: number): Promise<number> {
  const first = await openSockets(url, FIRST);
  await sleep(REST_MS);
  const before = rssMb(pid);
  const more = await openSockets(url, SOCKETS);
  await sleep(REST_MS);
  const kb = ((rssMb(pid) - before) / SOCKETS) * KB_PER_MB;
  await closeAll([...first, ...more]);
  return kb;
}

export const websockets: Bench = {
  name: 'websockets',
  about: `memory of idle conversations, past ${FIRST} of them`,
  run: () =>
    inScratch(async (dir) => {
      const served = await serve(dir);
      const bare = await startBare();
      const ours = await kbPerSocket(served.url, served.pid);
      const theirs = await kbPerSocket(bare.url, bare.pid);
      await served.stop();
      await bare.stop();
      return [
        compared('resident memory per conversation', ours, 'KB', { name: 'bare ws', value: theirs }, `${SOCKETS} more than ${FIRST}, idle`),
      ];
    }),
};
