import { judgedCopy } from './judged-copy.js';
import { chainOf, type JudgedCall, type Rule } from './rule.js';

/** What a chain says of a call. */
export type Judgement = {
  /** The rules that would have asked, had they not been under observation (N16), in order. */
  readonly observed: readonly { readonly rule: string }[];
} & (
  | { readonly kind: 'run'; readonly args: JudgedCall['args'] }
  /** `reason` is for the agent; `error` is what the rule threw, for log lines only. */
  | { readonly kind: 'deny'; readonly rule: string; readonly reason: string; readonly error?: unknown }
  | {
      readonly kind: 'ask';
      readonly rule: string;
      /** Its place in the tool's chain; after an approval the chain goes on from the next one (N11). */
      readonly index: number;
      /** The names of it and of every rule after it (N1). */
      readonly chain: readonly string[];
      readonly question?: string;
      readonly args: JudgedCall['args'];
    }
);

/**
 * Runs the tool's chain (`chainOf`) from its rule `from` on, one after the other, until one denies or asks (L22). A rule that
 * throws, rejects or answers anything else denies by its name. `args` of the answer are a frozen copy, after every rewrite;
 * where no rule was run they are the given ones. Waits as long as a rule takes.
 * @throws RangeError for a `from` that is no place of this chain: a call is never run because its chain became shorter.
 */
export async function judgeChain(rules: readonly Rule[], call: JudgedCall, from = 0): Promise<Judgement> {
  const { server, tool, party } = call;
  const chain = chainOf(rules, server, tool);
  if (from > chain.length) throw new RangeError('The chain of this tool is shorter than it was.');
  const observed: { readonly rule: string }[] = [];
  let { args } = call;
  for (const [offset, rule] of chain.slice(from).entries()) {
    try {
      if (offset === 0) args = judgedCopy(args);
      const verdict = await rule.judge(Object.freeze({ server, tool, args, party: frozenParty(party) }));
      switch (verdict.kind) {
        case 'allow':
          break;
        case 'deny':
          return { kind: 'deny', rule: rule.name, reason: textOf(verdict.reason), observed };
        case 'rewrite':
          args = judgedCopy(verdict.args);
          break;
        case 'ask': {
          if (verdict.observe === true) {
            observed.push({ rule: rule.name });
            break;
          }
          const index = from + offset;
          const question = verdict.question === undefined ? {} : { question: textOf(verdict.question) };
          return { kind: 'ask', rule: rule.name, index, chain: chain.slice(index).map(({ name }) => name), ...question, args, observed };
        }
        default:
          throw noVerdict(verdict);
      }
    } catch (error) {
      return {
        kind: 'deny',
        rule: rule.name,
        reason: `The rule ${rule.name} could not judge this call, so it does not run.`,
        error,
        observed,
      };
    }
  }
  return { kind: 'run', args, observed };
}

const frozenParty = (party: JudgedCall['party']): JudgedCall['party'] =>
  Object.freeze({ ...party, ...(party.roles && { roles: Object.freeze([...party.roles]) }) });

function textOf(text: unknown): string {
  if (typeof text !== 'string') throw new TypeError('What a rule says is a text.');
  return text;
}

const noVerdict = (_: never) => new TypeError('A rule answers allow, deny, rewrite or ask.');
