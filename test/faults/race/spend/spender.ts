// One of two processes that hold the same approvals and share nothing but a ledger of decisions: runs each approved call it may run.
//   spender.ts '<settings as JSON>'       begins when a line comes in; says what it heard of each approval, as JSON
import { once } from 'node:events';
import { doorledger } from '@doorledger/client';
import type { SpenderSettings } from './spenders.js';

const { url, toolUrl, approvals, lanes } = JSON.parse(process.argv[2]!) as SpenderSettings;

async function run(id: string): Promise<void> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'note', arguments: { id } } };
  const answer = await fetch(toolUrl, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`The tool answered ${answer.status}.`);
}

const ledger = await doorledger({ url }).decisionLedger();
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const heard: Record<string, string> = {};
const waiting = [...approvals];
await Promise.all(
  Array.from({ length: lanes }, async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        heard[id] = (await ledger.spend(id)) ? 'spent' : 'not-spent';
        if (heard[id] === 'spent') await run(id);
      } catch (error) {
        heard[id] = (error as Error).message;
      }
    }
  }),
);
const unspent: string[] = [];
for (const id of approvals) if (!(await ledger.isSpent(id))) unspent.push(id);
process.stdout.write(`${JSON.stringify({ heard, unspent })}\n`);
process.stdin.destroy();
