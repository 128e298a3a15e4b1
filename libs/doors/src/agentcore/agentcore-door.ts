import type { FastifyInstance } from 'fastify';
import { httpDoor, type Dialect, type HttpDoorOptions } from '../http/http-door.js';
import { send } from '../http/send.js';
import { PingState } from './ping-state.js';

export interface AgentCoreDoorOptions extends Omit<HttpDoorOptions, 'path' | 'sessionHeader' | 'cookie' | 'dialect'> {
  /** Turns that run on this host. */
  readonly running: () => number;
}

const SESSION_HEADER = 'x-amzn-bedrock-agentcore-runtime-session-id';

/** The message is `prompt`, else `input`; the rest of a body is as it always is. A stream's frames are `data` only, and name their event inside. */
const agentCore: Dialect = {
  userHeader: 'x-amzn-bedrock-agentcore-runtime-user-id',
  fieldsOf: (fields) => (typeof fields.prompt === 'string' ? { ...fields, input: fields.prompt } : fields),
  frameText: ({ event, data }) => `data: {"event":"${event}","data":${data}}\n\n`,
};

/**
 * The container contract of Amazon Bedrock AgentCore Runtime (HTTP protocol) over the same door as `POST /invoke`: `POST /invocations`, and
 * `GET /ping`, which says whether turns run (200), or why nothing can be served (503). Who asks is proven by the bearer alone (D16, I4, I8).
 */
export function agentCoreDoor(fastify: FastifyInstance, options: AgentCoreDoorOptions): void {
  httpDoor(fastify, { ...options, path: '/invocations', sessionHeader: SESSION_HEADER, cookie: undefined, dialect: agentCore });
  const state = new PingState(options.now());
  fastify.get('/ping', (_request, reply) => {
    const away = options.unavailable();
    return away ? send(reply, away) : reply.send(state.told(options.running() > 0, options.now()));
  });
}
