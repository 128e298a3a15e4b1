import type { IncomingMessage, ServerResponse } from 'node:http';

/** G3: a body that nobody will read is drained only if it is this small, and for so long. */
const DRAINED_BYTES = 1024 * 1024;
const DRAINED_WITHIN_MS = 2000;

/**
 * Gives up a body that nobody will read, before its request is answered. A small one is drained, so that the connection can be kept.
 * @returns whether the connection has to close after the answer: past the bounds, where the body was never sent (`Expect: 100-continue`),
 * and where its length is not told
 */
export function leaveBody(request: IncomingMessage): boolean {
  const { headers } = request;
  const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] ? Infinity : 0));
  if (length > DRAINED_BYTES || headers.expect !== undefined) return true;
  if (length === 0 || request.readableEnded) return false;
  const late = setTimeout(() => request.destroy(), DRAINED_WITHIN_MS);
  request.once('close', () => clearTimeout(late)).once('end', () => clearTimeout(late));
  request.resume();
  return false;
}

/** G3: nobody is asked for a body before the guard has let the request in. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
}
