/** The call that a rule judges. All of it is a frozen copy: a rule that tries to change it fails, and thereby denies. */
export interface JudgedCall {
  readonly server: string;
  readonly tool: string;
  /** As rewritten by the rules before. */
  readonly args: Readonly<Record<string, unknown>>;
  /** For whom the call acts; empty for an anonymous caller. */
  readonly party: { readonly tenant?: string; readonly subject?: string; readonly roles?: readonly string[] };
}

/**
 * What a rule says of a call (L22). `allow` is no objection: the next rule is asked. `rewrite` gives all arguments anew.
 * `ask` with `observe` stops nothing and is only reported (N16).
 */
export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'rewrite'; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'ask'; readonly question?: string; readonly observe?: boolean };

/** A named rule, from the configuration or in code. */
export interface Rule {
  /** One of its own among all rules: approvals are bound to the names of a chain (N1). */
  readonly name: string;
  /** The servers, and the tools of them, in whose chains it is a link; those of all when left out. */
  readonly servers?: readonly string[];
  readonly tools?: readonly string[];
  judge(call: JudgedCall): Verdict | Promise<Verdict>;
}

/** The chain of a tool, in order. What is edited for other tools changes nothing in it. */
export const chainOf = (rules: readonly Rule[], server: string, tool: string): readonly Rule[] =>
  rules.filter(({ servers, tools }) => (servers?.includes(server) ?? true) && (tools?.includes(tool) ?? true));
