import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { canonicalJson, UnbindableError } from '@doorledger/consent';
import { argumentTest, whyNoSchema } from './argument-test.js';
import { askTerms, asking, whyNobodyCanDecide, type AskTerms } from './gate-settings.js';
import { fromJson } from './from-json.js';
import type { Kind } from './kind.js';

const actions = ['allow', 'deny', 'rewrite', 'ask'] as const;
type Action = (typeof actions)[number];
const sentence = Type.Optional(Type.String({ minLength: 1, maxLength: 1000 }));
const listOr = <T extends TSchema>(name: T) => Type.Union([name, Type.Array(name, { minItems: 1 })]);
const Server = Type.String({ pattern: '^[A-Za-z0-9_-]{1,32}$' });
/** Exact: a name with a `*` in it would match no tool, and its rule would never speak. */
const Tool = Type.String({ pattern: '^[^*]{1,200}$' });

const ToolRule = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$' }),
    server: Type.Optional(listOr(Server)),
    tool: Type.Optional(Type.Union([listOr(Tool), Type.Literal('*')])),
    when: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    action: Type.Unsafe<Action>(Type.Union(actions.map((action) => Type.Literal(action)))),
    reason: sentence,
    question: sentence,
    set: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    remove: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
    ...asking,
  },
  { additionalProperties: false },
);

/** A rule as the configuration declares it (L22): see docs/rules.md. */
export type ToolRuleConfig = Static<typeof ToolRule>;
/** The same with its condition compiled. */
export type CompiledToolRule = Omit<ToolRuleConfig, 'when'> & { readonly when?: ReturnType<typeof argumentTest> };

const Rules: TSchema = Type.Array(ToolRule);
const readBy: Readonly<Record<Action, readonly (keyof ToolRuleConfig)[]>> = {
  allow: [],
  deny: ['reason'],
  rewrite: ['set', 'remove'],
  ask: ['question', ...(Object.keys(asking) as (keyof typeof asking)[])],
};

/** In YAML a list of maps, elsewhere the same as JSON. */
export const toolRuleList: Kind = {
  allowed: 'a list of rules (as JSON outside the file), each with `name`, `action` and what it speaks for: see docs/rules.md',
  accepts: (value) => whyNotRules(value) === undefined,
  why: whyNotRules,
  fromText: fromJson,
};

/** The rules with their conditions compiled, once per start, in the order of the list. */
export const compiledToolRules = (rules: readonly ToolRuleConfig[]): CompiledToolRule[] =>
  rules.map(({ when, ...rule }) => ({ ...rule, ...(when && { when: argumentTest(when) }) }));

/** A look-up of the terms of an `ask` rule by its name; `undefined` for a rule that is not of the list or does not ask. */
export function askTermsOf(rules: readonly ToolRuleConfig[]): (rule: string) => AskTerms | undefined {
  const terms = new Map(rules.filter(({ action }) => action === 'ask').map((rule) => [rule.name, askTerms(rule)]));
  return (rule) => terms.get(rule);
}

/** Rules that name a server which is not there, and so would never speak: one sentence each. */
export const strayRules = (rules: readonly ToolRuleConfig[], servers: readonly { readonly name: string }[]): string[] =>
  rules.flatMap(({ name, server = [] }) =>
    [server]
      .flat()
      .filter((named) => servers.every((known) => known.name !== named))
      .map((named) => `tools.rules: ${name} speaks for the server ${named}, which tools.servers does not name.`),
  );

/** The first thing that is wrong, in words that complete "must be …"; never a value. */
function whyNotRules(value: unknown): string | undefined {
  const [first] = Value.Errors(Rules, value);
  if (first)
    return `a list of rules: ${first.path || 'the list'} ${first.message.charAt(0).toLowerCase()}${first.message.slice(1)} (see docs/rules.md)`;
  const rules = value as ToolRuleConfig[];
  const names = new Set<string>();
  for (const rule of rules) {
    if (names.has(rule.name)) return `a list of rules with names of their own: ${rule.name} is there twice`;
    names.add(rule.name);
    const why = whyNotRule(rule);
    if (why) return `a list of rules: ${rule.name} ${why}`;
  }
  return undefined;
}

function whyNotRule(rule: ToolRuleConfig): string | undefined {
  const { action, when, set, remove = [] } = rule;
  const idle = actions.flatMap((other) => readBy[other]).find((field) => rule[field] !== undefined && !readBy[action].includes(field));
  if (idle) return `has ${idle}, which is nothing to ${action}`;
  if (when) {
    const why = whyNoSchema(when);
    if (why) return `has a condition (when) that ${why}`;
  }
  if (action === 'rewrite') return whyNotRewrite(set, remove);
  const why = action === 'ask' ? whyNobodyCanDecide(rule) : undefined;
  return why && `cannot ask: ${why}`;
}

function whyNotRewrite(set: ToolRuleConfig['set'], remove: readonly string[]): string | undefined {
  if (!set && remove.length === 0) return 'needs set or remove: it rewrites nothing';
  const both = remove.find((name) => set && Object.hasOwn(set, name));
  if (both !== undefined) return `sets and removes ${both}`;
  try {
    canonicalJson(set ?? {});
    return undefined;
  } catch (error) {
    if (error instanceof UnbindableError) return `sets something at ${error.path} that JSON cannot write down`;
    throw error;
  }
}
