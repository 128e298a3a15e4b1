/** A host that opens a stdio server, has it start a child, says both process ids and waits to be killed. */
import { OpenServers, contextOf, settingsOf } from './open-servers.js';

const [, , script = ''] = process.argv;
const env = { NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '' };
const host = new OpenServers([
  settingsOf({ name: 'pipe', transport: { kind: 'stdio', command: process.execPath, args: [script, 'deaf'], env } }),
]);
await host.servers.start();
const call = await host.servers.prepare(contextOf(), 'pipe', 'child');
const end = await call.send({}, { signal: new AbortController().signal });
process.stdout.write(`${'text' in end ? end.text : end.outcome}\n`);
setInterval(() => {}, 1_000);
