import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { fromJson } from './from-json.js';
import type { Kind } from './kind.js';

const EVENTS = ['waiting', 'settled', 'outcome'] as const;

const WebhookEndpoint = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,32}$' }),
    url: Type.String({ maxLength: 2048 }),
    secrets: Type.Array(Type.String({ pattern: '^\\$\\{(env|file):[^}]+\\}$' }), { minItems: 1, maxItems: 4 }),
    events: Type.Optional(Type.Array(Type.Union(EVENTS.map((event) => Type.Literal(event))), { minItems: 1 })),
    tenant: Type.Optional(Type.String({ minLength: 1, maxLength: 400 })),
  },
  { additionalProperties: false },
);

/** Who is told by webhooks (N54). `tenant` is one tenant, or `*` for all; without it, of turns without a tenant. */
export type WebhookEndpointConfig = Static<typeof WebhookEndpoint>;

const List = Type.Array(WebhookEndpoint, { maxItems: 64 });
const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** In YAML a list of maps, elsewhere the same as JSON. */
export const webhookEndpointList: Kind = {
  allowed:
    'a list of endpoints (as JSON outside the file), each with `name`, `url` (`https://`, or `http://` on this machine) and `secrets`: see docs/webhooks.md',
  accepts: (value) => whyNotEndpoints(value) === undefined,
  why: whyNotEndpoints,
  fromText: fromJson,
};

/** An address that webhooks and their links may name: nobody on the way may read along. */
export function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return username === '' && password === '' && (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname)));
}

/** The first thing that is wrong, in words that complete "must be …"; never a value. */
function whyNotEndpoints(value: unknown): string | undefined {
  const [first] = Value.Errors(List, value);
  if (first?.path.includes('/secrets/')) return 'a list of endpoints: each of their secrets must come from ${env:NAME} or ${file:PATH}';
  if (first) return `a list of endpoints: ${first.path || 'the list'} ${first.message.charAt(0).toLowerCase()}${first.message.slice(1)}`;
  const names = new Set<string>();
  for (const { name, url } of value as WebhookEndpointConfig[]) {
    if (names.has(name)) return `a list of endpoints with names of their own: ${name} is there twice`;
    names.add(name);
    if (!isSafeAddress(url)) return `a list of endpoints: the url of ${name} must begin with https:// (http:// only on this machine)`;
  }
  return undefined;
}
