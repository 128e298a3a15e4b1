import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Terminal } from '../wire/terminal.js';
import { send } from './send.js';

/** G3: a body that nobody will read is drained only if it is this small, and for so long. */
const DRAINED_BYTES = 1024 * 1024;
const DRAINED_WITHIN_MS = 2000;

/**
 * Answers before the body was read. A small body is drained, so that the connection can be kept; past the bounds, and where the body
 * was never sent (`Expect: 100-continue`) or its length is not told, the connection closes after the answer.
 */
export function refuseBody(request: FastifyRequest, reply: FastifyReply, terminal: Terminal): void {
  const { raw } = request;
  const length = Number(request.headers['content-length'] ?? (request.headers['transfer-encoding'] ? Infinity : 0));
  const isSmall = length <= DRAINED_BYTES && request.headers.expect === undefined;
  if (!isSmall) reply.header('connection', 'close');
  else if (length > 0) {
    const late = setTimeout(() => raw.destroy(), DRAINED_WITHIN_MS);
    raw.once('close', () => clearTimeout(late)).once('end', () => clearTimeout(late));
    raw.resume();
  }
  send(reply, terminal);
}
