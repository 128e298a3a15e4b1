// Tool servers of the demo: MCP over stdio, one JSON-RPC message a line, no packages. `node examples/demo-server.mjs NAME` is one of them.
// They keep nothing and reach nothing: what they say of a payment or a release is made up. See docs/guides/mcp-server.md.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const text = { type: 'string' };
const tool = (description, properties, run) => ({
  description,
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
  run,
});

const servers = {
  crm: {
    find_customer: tool('Finds a customer by name.', { name: text }, ({ name }) => {
      if (name.length < 3) throw new Error('No customer has that name.');
      return `${name}: customer since 2021, two open orders.`;
    }),
    update_customer: tool('Changes a customer.', { id: text, changes: { type: 'object' } }, ({ id, changes }) => {
      return `Customer ${id}: changed ${Object.keys(changes).join(', ')}.`;
    }),
    export_list: tool('Exports a list of customers.', { list: text }, ({ list }) => `The list ${list} has 48 customers.`),
  },
  bank: {
    balance: tool('Tells the balance of an account.', { account: text }, ({ account }) => `Account ${account}: 18204.50 EUR.`),
    transfer: tool(
      'Moves money.',
      { to: text, amount: { type: 'number' }, currency: text, reference: text },
      ({ to, amount, currency }) => `Sent ${amount.toFixed(2)} ${currency} to ${to}.`,
    ),
    place_hold: tool('Reserves money for a few seconds.', { account: text, amount: { type: 'number' } }, () => 'Reserved.'),
  },
  mail: {
    search: tool('Finds mails.', { query: text }, ({ query }) => `3 mails about ${query}.`),
    send: tool('Sends a mail.', { to: text, subject: text, body: text }, ({ to }) => `Sent to ${to}.`),
  },
  files: {
    list: tool('Lists a folder.', { path: text }, ({ path }) => `${path}: 2 folders, 14 files.`),
    delete_folder: tool('Deletes a folder with all that is in it.', { path: text }, ({ path }) => `Deleted ${path}.`),
  },
  deploy: {
    status: tool('Tells which version of a service runs.', { service: text }, ({ service }) => `${service}: 4.2.0, healthy.`),
    // One of its services never answers, as happens: nobody knows then whether the release went out.
    release: tool('Releases a version of a service.', { service: text, version: text }, async ({ service, version }) => {
      if (service === 'search') await sleep(600_000);
      return `${service} is at ${version}.`;
    }),
  },
};

const name = process.argv[2];
const tools = servers[name];
if (!tools) {
  process.stderr.write(`demo-server: name one of ${Object.keys(servers).join(', ')}.\n`);
  process.exit(1);
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: `demo-${name}`, version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: Object.entries(tools).map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })),
  }),
  'tools/call': async ({ name, arguments: args }) => {
    try {
      await sleep(10 + Math.random() * 60);
      return { content: [{ type: 'text', text: await tools[name].run(args) }] };
    } catch (error) {
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  },
};

for await (const line of createInterface({ input: process.stdin })) void answer(JSON.parse(line));

async function answer({ id, method, params }) {
  if (id === undefined) return;
  const said = answers[method]
    ? { result: await answers[method](params) }
    : { error: { code: -32601, message: `There is no method ${method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`);
}
