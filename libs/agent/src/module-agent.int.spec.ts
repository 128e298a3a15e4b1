import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { user, tool, type StepAsk, type Stepped } from './testing/steps.js';

interface Told extends Omit<Stepped, 'error'> {
  /** Why the module was refused when it was loaded. */
  readonly refused?: string;
  /** What its step threw. */
  readonly error?: string;
}

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'agent-module-'));
});
afterAll(() => rm(dir, { recursive: true }));

let modules = 0;
async function moduleOf(source: string): Promise<string> {
  const path = join(dir, `agent-${modules++}.mjs`);
  await writeFile(path, source);
  return path;
}

/** In a process of its own: Jest's modules are no ES modules. */
async function toldBy(asks: readonly (StepAsk & { path: string })[]): Promise<Told[]> {
  const child = join(__dirname, 'testing', 'module-agent-child.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [child, JSON.stringify(asks)]);
  return JSON.parse(stdout) as Told[];
}

const STEP = "async *step() { yield 'mo'; yield 're'; return { text: 'more' }; }";

it('L20 loads an agent from a module: an agent, an object of a class, or what a function makes at once or later', async () => {
  const sources = [
    `export default { ${STEP} };`,
    `class Mine { ${STEP} } export default new Mine();`,
    `export default () => ({ ${STEP} });`,
    `export default async () => ({ ${STEP} });`,
  ];
  const told = await toldBy(await Promise.all(sources.map(async (source) => ({ path: await moduleOf(source) }))));
  expect(told).toEqual(sources.map(() => ({ pieces: ['mo', 're'], end: { text: 'more' } })));
});

it('L20 refuses a module that holds no agent when it is loaded, and says what is missing', async () => {
  const refusals: [source: string, why: RegExp][] = [
    [`export const agent = { ${STEP} };`, /exports no agent/],
    ['export default { steps() {} };', /exports no agent.*step\(\)/],
    ['export default () => undefined;', /exports no agent/],
    [`export default class { ${STEP} }`, /could not make its agent: Class constructor/],
    ["export default () => { throw new Error('no GPU'); };", /could not make its agent: no GPU/],
    ["import 'there-is-no-such-package';", /could not be loaded: .*there-is-no-such-package/],
  ];
  const paths = await Promise.all(refusals.map(([source]) => moduleOf(source)));
  const told = await toldBy([...paths, join(dir, 'nowhere.mjs')].map((path) => ({ path })));
  for (const [i, [, why]] of refusals.entries()) {
    expect(told[i]?.refused).toMatch(why);
    expect(told[i]?.refused).toContain(paths[i]);
  }
  expect(told.at(-1)?.refused).toMatch(/could not be loaded: .*nowhere\.mjs/);
});

it('L20 fails a step that is none, in a sentence that names no file of the host', async () => {
  const steps: [source: string, why: RegExp][] = [
    ["export default { async step() { return { text: 'x' }; } };", /must be an async generator/],
    ["export default { step: () => 'text' };", /must be an async generator/],
    ["export default { async *step() { yield 'x'; } };", /must return \{text/],
    ["export default { async *step() { return { text: '', calls: [{ tool: 'x' }] }; } };", /must return \{text/],
    ["export default { async *step() { return { text: '', calls: [{ name: 'x', args: null }] }; } };", /must return \{text/],
  ];
  const told = await toldBy(await Promise.all(steps.map(async ([source]) => ({ path: await moduleOf(source) }))));
  for (const [i, [, why]] of steps.entries()) {
    expect(told[i]?.error).toMatch(why);
    expect(told[i]?.error).not.toContain(dir);
  }
});

it('L20 runs the agent that the documentation shows', async () => {
  const page = await readFile(join(__dirname, '../../../docs/agents.md'), 'utf8');
  const [, source] = /```js\n(.*?)```/s.exec(page)!;
  const path = await moduleOf(source!);
  const tools = [tool('files.read')];
  const result = { role: 'tool', callId: '1', name: 'files.read', outcome: 'ok', text: 'two words' } as const;
  const told = await toldBy([
    { path, tools, messages: [user('plan.txt')] },
    { path, tools, messages: [user('plan.txt'), { role: 'assistant', text: '', calls: [] }, result] },
    { path, tools, messages: [{ ...result, outcome: 'error', text: 'no such file' }] },
    { path, messages: [user('hello')] },
  ]);
  expect(told).toEqual([
    { pieces: [], end: { text: '', calls: [{ name: 'files.read', args: { path: 'plan.txt' } }] } },
    { pieces: ['two ', 'words'], end: { text: 'two words' } },
    { pieces: ['That ', 'did ', 'not ', 'work: ', 'no ', 'such ', 'file'], end: { text: 'That did not work: no such file' } },
    { pieces: ['hello'], end: { text: 'hello' } },
  ]);
});
