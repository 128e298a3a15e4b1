// A tool server that is a judge: it writes down every tools/call that it receives, durably, before it answers.
//   node judge-server.mjs FILE        says its address on stdout; ends when its standard input does
import { randomUUID } from 'node:crypto';
import { fdatasync, openSync, write } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const [writeAll, sync] = [promisify(write), promisify(fdatasync)];
const file = openSync(process.argv[2], 'a');
const properties = { id: { type: 'string' }, ms: { type: 'integer', minimum: 0 } };
const tools = ['note', 'slow', 'pay'].map((name) => ({
  name,
  description: name === 'slow' ? 'Writes the id down and answers after so many ms.' : 'Writes the id down.',
  inputSchema: { type: 'object', properties, required: ['id'] },
}));

let waiting = [];
let writing = false;

/** Resolves when the line is on the disk; lines that come while another is written share the next write. */
function keep(line) {
  return new Promise((resolve, reject) => {
    waiting.push({ text: `${JSON.stringify(line)}\n`, resolve, reject });
    if (!writing) void writeWaiting();
  });
}

async function writeWaiting() {
  writing = true;
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    try {
      await writeAll(file, batch.map(({ text }) => text).join(''));
      await sync(file);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
  writing = false;
}

const results = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'judge', version: '1' } }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  async 'tools/call'({ name, arguments: args, _meta }, session) {
    const fence = _meta?.['io.doorledger/fence'];
    await keep({ id: args.id, at: Date.now(), tool: name, session, ...(fence && { fence }) });
    if (name === 'slow') await sleep(args.ms ?? 0);
    return { content: [{ type: 'text', text: `noted ${args.id}` }] };
  },
};

async function answer(request, response) {
  if (request.method !== 'POST') return response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  if (id === undefined) return response.writeHead(202).end();
  if (!Object.hasOwn(results, method)) return response.writeHead(404).end();
  const result = await results[method](params, request.headers['mcp-session-id']);
  const opened = method === 'initialize' && { 'mcp-session-id': randomUUID() };
  response.writeHead(200, { 'content-type': 'application/json', ...opened });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
// A host that sleeps for long finds its connection as it left it.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
process.stdin.resume().once('end', () => process.exit(0));
