import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { leaveBody } from '@doorledger/access';
import { referenceId, type Logger } from '@doorledger/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** D4 */
export const notFound = (method: string, url: string): object => ({
  error: `There is no ${method} ${url.split('?')[0]!.slice(0, 200)} here.`,
});

const unreadable = { error: 'The request could not be read.', code: 'ERR_INVALID_QUERY' };

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Errors of controllers and unknown routes, in the shape of the doors: `{error, code?, …}` and never an uncoded error's text (D22). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent) return;
    const request = http.getRequest<FastifyRequest>();
    const { status, body } = this.#answer(error, request);
    if (leaveBody(request.raw)) void reply.header('connection', 'close');
    void reply.code(status).type('application/json').send(body);
  }

  #answer(error: unknown, { method, url }: FastifyRequest): Answer {
    if (error instanceof HttpException) {
      const body = error.getResponse();
      if (typeof body === 'object' && 'error' in body && !('statusCode' in body)) return { status: error.getStatus(), body };
      if (error.getStatus() === 404) return { status: 404, body: notFound(method, url) };
      return { status: error.getStatus(), body: unreadable };
    }
    const status = (error as { statusCode?: unknown }).statusCode;
    if (typeof status === 'number' && status >= 400 && status < 500) return { status, body: unreadable };
    const reference = referenceId();
    this.logger.error({ err: error, reference }, 'A request failed.');
    return { status: 500, body: { error: `The request failed. Reference ${reference}.`, reference } };
  }
}
