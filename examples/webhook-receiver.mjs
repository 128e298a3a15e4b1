// A receiver of doorledger's webhooks: prints each event once. WEBHOOK_SECRET=whsec_… PORT=9000 node examples/webhook-receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const TOLERANCE_S = 300;
const MOST_BYTES = 64 * 1024;
const MOST_SEEN = 10_000;
const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64');
if (key.length < 24) throw new Error('Set WEBHOOK_SECRET to the secret of the endpoint: "whsec_" and base64.');

/** Signed by who has the secret, over exactly these bytes, a moment ago. */
function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** An event may come twice: the id says so. */
const seen = new Set();
function isNew(id) {
  if (seen.has(id)) return false;
  seen.add(id);
  if (seen.size > MOST_SEEN) seen.delete(seen.values().next().value);
  return true;
}

const server = createServer(async (request, response) => {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return response.writeHead(413).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  if (isNew(request.headers['webhook-id'])) console.log(body.toString());
  response.writeHead(204).end();
});
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () =>
  console.error(`Listening on http://127.0.0.1:${server.address().port}/`),
);
