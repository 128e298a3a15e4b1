import type { FastifyReply } from 'fastify';
import { bodyOf, type Terminal } from '../wire/terminal.js';

/** A terminal as a JSON answer (D6). */
export function send(reply: FastifyReply, terminal: Terminal): FastifyReply {
  if (terminal.kind === 'fail' && terminal.headers) reply.headers(terminal.headers);
  if (terminal.turnId) reply.header('x-turn-id', terminal.turnId);
  if ('position' in terminal && terminal.position) reply.header('x-doorledger-position', terminal.position);
  return reply
    .code('status' in terminal ? terminal.status : 200)
    .type('application/json')
    .send(JSON.stringify(bodyOf(terminal)));
}
