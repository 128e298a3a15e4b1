import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { fromJson } from './from-json.js';
import { Gate, whyNobodyCanDecide } from './gate-settings.js';
import { address } from './issuers.js';
import type { Kind } from './kind.js';

const Scope = Type.Union([Type.Literal('session'), Type.Literal('run'), Type.Literal('call')]);
const Millis = Type.Integer({ minimum: 1, maximum: 24 * 3_600_000 });
/** Values may name where they come from: `${env:NAME}`, `${file:PATH}`. */
const Values = Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Type.String({ maxLength: 8192 }));
const Url = Type.RegExp(address);
const closed = { additionalProperties: false };

const ToolServer = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,32}$' }),
    command: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
    env: Type.Optional(Values),
    cwd: Type.Optional(Type.String({ minLength: 1 })),
    module: Type.Optional(Type.String({ minLength: 1 })),
    url: Type.Optional(Url),
    headers: Type.Optional(Values),
    agentcore: Type.Optional(
      Type.Object(
        {
          url: Url,
          strategy: Type.Optional(Type.Union([Type.Literal('per-call'), Type.Literal('reuse')])),
          stopUrl: Type.Optional(Url),
        },
        closed,
      ),
    ),
    scope: Type.Optional(Scope),
    tools: Type.Optional(
      Type.Record(
        Type.String({ minLength: 1 }),
        Type.Object({ scope: Type.Optional(Scope), timeoutMs: Type.Optional(Millis), gate: Type.Optional(Gate) }, closed),
      ),
    ),
    connectMs: Type.Optional(Millis),
    listMs: Type.Optional(Millis),
    callMs: Type.Optional(Millis),
    idleMs: Type.Optional(Millis),
    closeMs: Type.Optional(Millis),
    maxResultBytes: Type.Optional(Type.Integer({ minimum: 1024, maximum: 16 * 1024 * 1024 })),
    strict: Type.Optional(Type.Boolean()),
    fence: Type.Optional(Type.Boolean()),
  },
  closed,
);

/** A tool server as the configuration names it. Exactly one of `command` (stdio), `url` (Streamable HTTP), `agentcore` and `module` (tools in the host). */
export type ToolServerConfig = Static<typeof ToolServer>;

/** In YAML a list of maps, elsewhere the same as JSON. */
export const toolServerList: Kind = {
  allowed:
    'a list of tool servers (as JSON outside the file), each with `name` and one of `command`, `url`, `agentcore` and `module`: see docs/tool-servers.md',
  accepts: (value) => whyNotToolServers(value) === undefined,
  why: whyNotToolServers,
  fromText: fromJson,
};

const Servers: TSchema = Type.Array(ToolServer);
const places = ['command', 'url', 'agentcore', 'module'] as const;
const secretHeaders = new Set(['authorization', 'x-api-key', 'cookie', 'proxy-authorization']);

/** The first thing that is wrong, in words that complete "must be …"; never a value. */
function whyNotToolServers(value: unknown): string | undefined {
  const [first] = Value.Errors(Servers, value);
  if (first) return `a list of tool servers: ${first.path || 'the list'} ${ofSchema(first.message)}`;
  const servers = value as ToolServerConfig[];
  const names = new Set<string>();
  for (const server of servers) {
    const { name, headers = {}, tools = {} } = server;
    if (names.has(name)) return `a list of tool servers with names of their own: ${name} is there twice`;
    names.add(name);
    if (places.filter((place) => server[place] !== undefined).length !== 1)
      return `a list of tool servers: ${name} needs exactly one of command, url, agentcore and module`;
    const open = Object.entries(headers).find(([header, text]) => secretHeaders.has(header.toLowerCase()) && !/\$\{(env|file):/.test(text));
    if (open) return `a list of tool servers: the header ${open[0]} of ${name} must come from \${env:NAME} or \${file:PATH}`;
    for (const [tool, { gate }] of Object.entries(tools)) {
      const why = gate && whyNobodyCanDecide(gate);
      if (why) return `a list of tool servers: the gate of ${name}.${tool} cannot ask: ${why}`;
    }
  }
  return undefined;
}

/** What the library says of an unexpected property names the property; the rest is fit for a person. */
const ofSchema = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1);
