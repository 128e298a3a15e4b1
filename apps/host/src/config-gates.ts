import { chainOf, judgeChain, rulesOf } from '@doorledger/agent';
import { askTermsOf, compiledToolRules, gatesOf, type DoorledgerConfig } from '@doorledger/config';
import type { Gates } from '@doorledger/turns';

type Judged = Awaited<ReturnType<typeof judgeChain>>;
const changed = {
  kind: 'deny',
  rule: 'changed',
  reason: 'The rules of this tool have changed since it was judged.',
  observed: [],
} as const;

/** Rules and gates as the configuration declares them (L22). `onFault` is told what a rule threw; its call is denied. */
export function configGates({ tools }: Pick<DoorledgerConfig, 'tools'>, onFault: (sentence: string, error: unknown) => void): Gates {
  const rules = rulesOf(compiledToolRules(tools.rules));
  const termsOfRule = askTermsOf(tools.rules);
  const gateOf = gatesOf(tools.servers);
  return {
    chain: (server, tool) => chainOf(rules, server, tool).map(({ name }) => name),
    terms: (server, tool) => {
      const gate = gateOf(server, tool);
      const ofRules = chainOf(rules, server, tool).map(({ name }) => termsOfRule(name));
      return [...ofRules, gate?.observe ? undefined : gate].filter((terms) => terms !== undefined);
    },
    async judge(call, passed) {
      // What it throws is a chain that became shorter than what the call had passed of it.
      const judged = await judgeChain(rules, call, passed.rules).catch((error: unknown): Judged => ({ ...changed, error }));
      const observed = judged.observed.map(({ rule }) => ({ gate: 'ask' as const, rule }));
      if (judged.kind === 'deny') {
        if (judged.error !== undefined) onFault(`The rule ${judged.rule} could not judge a call; the call was denied.`, judged.error);
        return { kind: 'deny', reason: judged.reason, observed };
      }
      const { args } = judged;
      if (judged.kind === 'ask') {
        const { rule, index, chain, question } = judged;
        const terms = termsOfRule(rule)!;
        return {
          kind: 'gated',
          gate: 'ask',
          ask: { rule, index, chain },
          ...(question !== undefined && { question }),
          args,
          terms,
          observed,
        };
      }
      const gate = passed.checkIn ? undefined : gateOf(call.server, call.tool);
      if (!gate) return { kind: 'run', args, observed };
      if (gate.observe) return { kind: 'run', args, observed: [...observed, { gate: 'checkIn' }] };
      return { kind: 'gated', gate: 'checkIn', args, terms: gate, observed };
    },
  };
}
