/** An MCP server on standard input and output that speaks JSON-RPC by hand and misbehaves as asked. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const toolNames = ['ok', 'hang', 'exit', 'large', 'text-id', 'progress', 'env', 'child', 'change'];
const isDeaf = process.argv.includes('deaf');
const isMute = process.argv.includes('mute');
const diesOnProbe = process.argv.includes('old');
let description = 'before';

interface Asked {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown>; readonly _meta?: Record<string, unknown> };
}

const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (words: string) => ({ content: [{ type: 'text', text: words }] });

function call({ id, params }: Asked): unknown {
  const args = params?.arguments ?? {};
  switch (params?.name) {
    case 'ok':
      return say({ id, result: text('done') });
    case 'exit':
      return process.exit(3);
    case 'large':
      return say({ id, result: text('x'.repeat(Number(args['bytes']))) });
    case 'text-id':
      return say({ id: String(id), result: text('for another') });
    case 'env':
      return say({ id, result: { ...text('env'), structuredContent: { names: Object.keys(process.env).sort() } } });
    case 'progress':
      for (let n = 1; n <= 3; n++)
        say({ method: 'notifications/progress', params: { progressToken: params._meta?.['progressToken'], progress: n } });
      return say({ id, result: text('done') });
    case 'child': {
      const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: 'ignore' });
      return say({ id, result: text(`${process.pid} ${child.pid}`) });
    }
    case 'change':
      description = 'after';
      say({ method: 'notifications/tools/list_changed' });
      return say({ id, result: text('done') });
    default:
      return undefined;
  }
}

function answer(asked: Asked): unknown {
  const { id, method } = asked;
  if (isMute) return undefined;
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'fault-stdio', version: '1' };
      return say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo } });
    }
    case 'server/discover':
      return diesOnProbe ? process.exit(1) : say({ id, error: { code: -32601, message: 'Method not found' } });
    case 'tools/list':
      return say({
        id,
        result: { tools: toolNames.map((name) => ({ name, description: `${name} ${description}`, inputSchema: { type: 'object' } })) },
      });
    case 'tools/call':
      return call(asked);
    default:
      return undefined;
  }
}

if (isDeaf) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
}
process.stdout.write('a banner that is no message\n');
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => answer(JSON.parse(line) as Asked));
if (!isDeaf) lines.on('close', () => process.exit(0));
