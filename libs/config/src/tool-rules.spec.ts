import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askTermsOf, compiledToolRules, type ConfigError, gatesOf, loadConfig } from './index.js';
import { strayRules } from './tool-rules.js';

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'doorledger-rules-'))));
afterEach(() => rmSync(cwd, { recursive: true }));

function load(yaml: string) {
  writeFileSync(join(cwd, 'doorledger.config.yaml'), yaml);
  return loadConfig({ cwd, env: {} }).tools;
}
function problemOf(tools: string): string {
  try {
    load(`tools:\n${tools}\n`);
  } catch (error) {
    return (error as ConfigError).message;
  }
  return '';
}
const problemOfRule = (rule: string) => problemOf(`  rules:\n    - ${rule}`);

const policy = `
tools:
  servers:
    - { name: files, command: [node, files.js] }
    - name: bank
      command: [node, bank.js]
      tools: { transfer: { gate: { kind: checkIn, deciders: role, roles: [treasurer], quorum: 2 } } }
  rules:
    - { name: no-secrets, server: [files], tool: [read, write], when: { properties: { path: { pattern: "/\\\\.ssh/" } } }, action: deny, reason: Keys stay here. }
    - { name: in-euro, server: bank, tool: transfer, action: rewrite, set: { currency: EUR }, remove: [rate] }
    - { name: large, tool: "*", when: { not: { properties: { amount: { type: number, maximum: 1000 } }, required: [amount] } }, action: ask, question: "So much?", decideByMs: 60000, deciders: both, separation: true, observe: true }
    - { name: off, action: allow }
`;

it('L22 reads rules of each action from the file, in order, and the same as JSON from the environment', () => {
  const { rules, servers } = load(policy);
  expect(rules.map(({ name, action }) => [name, action])).toEqual([
    ['no-secrets', 'deny'],
    ['in-euro', 'rewrite'],
    ['large', 'ask'],
    ['off', 'allow'],
  ]);
  rmSync(join(cwd, 'doorledger.config.yaml'));
  expect(
    loadConfig({ cwd, env: { DOORLEDGER_TOOLS_SERVERS: JSON.stringify(servers), DOORLEDGER_TOOLS_RULES: JSON.stringify(rules) } }).tools
      .rules,
  ).toEqual(rules);
});

it('L22 and N16 find the terms of a rule that asks by its name, and of a gate by its tool', () => {
  const { servers, rules } = load(policy);
  const terms = askTermsOf(rules);
  expect(terms('large')).toEqual({
    observe: true,
    policy: { deciders: 'both', roles: ['approver'], separation: true },
    decideByMs: 60_000,
  });
  expect([terms('in-euro'), terms('nobody')]).toEqual([undefined, undefined]);
  expect(gatesOf(servers)('bank', 'transfer')).toMatchObject({ observe: false, policy: { roles: ['treasurer'], quorum: 2 } });
});

it('L22 compiles conditions that judge own arguments only, coerce nothing, and throw rather than guess', () => {
  const [secrets, , large, off] = compiledToolRules(load(policy).rules);
  expect(secrets?.when?.({ path: '/home/a/.ssh/id' })).toBe(true);
  expect(secrets?.when?.({ path: '/home/a/notes' })).toBe(false);
  expect(large?.when?.({ amount: 1000 })).toBe(false);
  expect([large?.when?.({ amount: 1001 }), large?.when?.({ amount: '5' }), large?.when?.({})]).toEqual([true, true, true]);
  expect(off).toEqual({ name: 'off', action: 'allow' });
  const [built] = compiledToolRules([{ name: 'r', action: 'deny', when: { required: ['constructor'] } }]);
  expect([built?.when?.({}), built?.when?.({ constructor: 1 })]).toEqual([false, true]);
  const [odd] = compiledToolRules([{ name: 'r', action: 'deny', when: { properties: { a: { const: { b: 1 } } } } }]);
  expect(() => odd?.when?.({ a: { b: 1, valueOf: 1 } })).toThrow();
});

it.each([
  ['{ name: "a b", action: deny }', '/0/name'],
  ['{ name: a }', '/0/action'],
  ['{ name: a, action: permit }', '/0/action'],
  ['{ name: a, action: deny, colour: red }', '/0/colour'],
  ['{ name: a, action: deny, server: "b*" }', '/0/server'],
  ['{ name: a, action: deny, tool: "delete_*" }', '/0/tool'],
  ['{ name: a, action: deny, tool: [] }', '/0/tool'],
  ['{ name: a, action: deny, when: [] }', '/0/when'],
  ['{ name: a, action: ask, quorum: 65 }', '/0/quorum'],
  ['{ name: a, action: deny }\n    - { name: a, action: allow }', 'a is there twice'],
  ['{ name: a, action: deny, question: Why? }', 'a has question, which is nothing to deny'],
  ['{ name: a, action: ask, reason: So. }', 'a has reason, which is nothing to ask'],
  ['{ name: a, action: allow, set: { x: 1 } }', 'a has set, which is nothing to allow'],
  ['{ name: a, action: deny, observe: true }', 'a has observe, which is nothing to deny'],
  ['{ name: a, action: rewrite }', 'a needs set or remove'],
  ['{ name: a, action: rewrite, set: { x: 1 }, remove: [x] }', 'a sets and removes x'],
  ['{ name: a, action: rewrite, set: { x: { y: .inf } } }', 'a sets something at /x/y that JSON cannot write down'],
  ['{ name: a, action: ask, separation: true }', 'a cannot ask: The party alone decides'],
  ['{ name: a, action: ask, roles: [r] }', 'a cannot ask: Roles decide only where'],
])('L22 names what is wrong with the rule %j', (rule, problem) => expect(problemOfRule(rule)).toContain(problem));

it.each([
  ['{ properties: { x: { type: canary } } }', 'is no JSON Schema (2020-12) at /properties/x/type'],
  ['{ maximun: 3 }', 'has the unknown keyword maximun'],
  ['{ properties: { x: { format: canary } } }', 'has a format, pattern or reference that cannot be used'],
  ['{ properties: { x: { pattern: "(canary" } } }', 'has a format, pattern or reference that cannot be used'],
  ['{ $ref: "https://canary/" }', 'has a format, pattern or reference that cannot be used'],
  ['{ $async: true }', 'may not have $async'],
  ['{ $id: canary }', 'may not have $id'],
])('L22 takes no condition that would be none: %s', (when, why) => {
  const problem = problemOfRule(`{ name: a, action: deny, when: ${when} }`);
  expect(problem).toContain(`tools.rules must be a list of rules: a has a condition (when) that ${why}`);
  expect(problem).not.toContain('canary');
});

it('L22 and N50 refuse a gate by which nobody could ever approve, by its tool', () => {
  const gate = (of: string) => problemOf(`  servers:\n    - { name: bank, command: [x], tools: { transfer: { gate: ${of} } } }`);
  expect(gate('{ kind: checkIn, quorum: 2 }')).toContain('the gate of bank.transfer cannot ask: The party alone decides');
  expect(gate('{ kind: ask }')).toContain('/0/tools/transfer/gate/kind');
  expect(gate('{ kind: checkIn, question: Sure? }')).toContain('/0/tools/transfer/gate/question');
  expect(gate('{ kind: checkIn, observe: true }')).toBe('');
});

it('L22 tells of a rule for a server that is not there: it would never speak', () => {
  const rules = [
    { name: 'typo', server: ['bank', 'bnak'], action: 'deny' },
    { name: 'fine', server: 'bank', action: 'deny' },
    { name: 'all', action: 'deny' },
  ] as const;
  const sentences = strayRules(
    rules.map((rule) => ({ ...rule, server: 'server' in rule ? [rule.server].flat() : undefined })),
    [{ name: 'bank' }],
  );
  expect(sentences).toEqual(['tools.rules: typo speaks for the server bnak, which tools.servers does not name.']);
});
