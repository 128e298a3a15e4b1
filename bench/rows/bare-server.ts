import fastify from 'fastify';
import { WebSocketServer } from 'ws';

/** What the door's figures are held against, run as a process: Fastify that answers 401 to every POST, and WebSockets that nobody serves. */
const server = fastify();
const body = JSON.stringify({ error: 'Send a bearer token that this deployment accepts.', code: 'ERR_IDENTITY_NOT_VERIFIED' });
server.post('/invoke', (_request, reply) => reply.code(401).type('application/json').send(body));
new WebSocketServer({ server: server.server, path: '/conversation', perMessageDeflate: false });
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: 0 })}\n`);
