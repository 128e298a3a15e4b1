import type { JudgedCall, Rule, Verdict } from './rule.js';

/** A rule as the configuration declares it. Of the fields below `action`, each action reads its own. */
export interface DeclaredRule {
  readonly name: string;
  /** One server or several; every one when left out. */
  readonly server?: string | readonly string[];
  /** One tool or several; every one when left out, or `*`. */
  readonly tool?: string | readonly string[];
  /** Whether the rule speaks for these arguments; whatever they are, when left out. If it throws, the rule denies. */
  readonly when?: (args: JudgedCall['args']) => boolean;
  readonly action: Verdict['kind'];
  readonly reason?: string;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  readonly question?: string;
  readonly observe?: boolean;
}

/** The rules that the configuration declares, in its order (L22). */
export const rulesOf = (declared: readonly DeclaredRule[]): Rule[] =>
  declared.map((rule) => ({
    name: rule.name,
    ...(rule.server !== undefined && { servers: [rule.server].flat() }),
    ...(rule.tool !== undefined && rule.tool !== '*' && { tools: [rule.tool].flat() }),
    judge: ({ args }) => (rule.when && !rule.when(args) ? { kind: 'allow' } : verdictOf(rule, args)),
  }));

function verdictOf({ name, action, reason, set, remove = [], question, observe }: DeclaredRule, args: JudgedCall['args']): Verdict {
  switch (action) {
    case 'allow':
      return { kind: 'allow' };
    case 'deny':
      return { kind: 'deny', reason: reason ?? `The rule ${name} does not allow this call.` };
    case 'rewrite':
      return { kind: 'rewrite', args: { ...without(args, remove), ...set } };
    case 'ask':
      return { kind: 'ask', ...(question !== undefined && { question }), ...(observe && { observe }) };
  }
}

const without = (args: JudgedCall['args'], names: readonly string[]) =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
