// With `npm start` running: node examples/client.mjs
import { doorledger } from 'doorledger/client';

const { DOORLEDGER_URL: url = 'http://127.0.0.1:8080', DOORLEDGER_TOKEN: token } = process.env;
const client = doorledger({ url, token });
const name = `example-${Date.now()}`;

const end = await client.doors.turn('Hello, client.', { sessionId: name, idempotencyKey: name });
console.log('said   ', end.output);

for await (const event of client.doors.stream('Hello, stream.', { sessionId: name }))
  if (event.kind === 'chunk') console.log('piece  ', event.text);

for await (const fact of client.ledger.timeline(name, { at: end.position })) console.log('fact   ', fact.type, fact.verdict);

// What an agent library asks before it runs an approved call: one of two processes hears true.
const [one, other] = await Promise.all([client.decisionLedger(), client.decisionLedger()]);
console.log('spends ', (await Promise.all([one.spend(name), other.spend(name)])).sort());
console.log('spent  ', await one.isSpent(name));
