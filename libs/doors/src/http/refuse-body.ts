import { leaveBody } from '@doorledger/access';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Terminal } from '../wire/terminal.js';
import { send } from './send.js';

/** Answers before the body was read (G3). */
export function refuseBody(request: FastifyRequest, reply: FastifyReply, terminal: Terminal): void {
  if (leaveBody(request.raw)) reply.header('connection', 'close');
  send(reply, terminal);
}
