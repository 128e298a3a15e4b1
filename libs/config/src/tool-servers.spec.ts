import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig, withSecrets } from './index.js';

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'doorledger-tools-'))));
afterEach(() => rmSync(cwd, { recursive: true }));

function load(yaml: string) {
  writeFileSync(join(cwd, 'doorledger.config.yaml'), yaml);
  return loadConfig({ cwd, env: {} }).tools.servers;
}
function problemOf(yaml: string): string {
  try {
    load(yaml);
  } catch (error) {
    return (error as ConfigError).message;
  }
  return '';
}

it('reads tool servers of each kind from the file, and the same as JSON from the environment', () => {
  const servers = load(`
tools:
  servers:
    - name: files
      command: [node, server.js]
      scope: session
      tools: { write: { scope: call, timeoutMs: 5000 } }
    - name: search
      url: http://127.0.0.1:3001/mcp
      headers: { authorization: 'Bearer \${env:SEARCH_TOKEN}' }
    - name: sandbox
      agentcore: { url: 'https://runtime.example/invocations', strategy: reuse }
`);
  expect(servers.map(({ name }) => name)).toEqual(['files', 'search', 'sandbox']);
  const env = { DOORLEDGER_TOOLS_SERVERS: JSON.stringify(servers) };
  rmSync(join(cwd, 'doorledger.config.yaml'));
  expect(loadConfig({ cwd, env }).tools.servers).toEqual(servers);
});

it.each([
  ['- command: [x]', 'tools.servers must be a list of tool servers: /0/name'],
  ['- { name: a }', 'a needs exactly one of command, url, agentcore and module'],
  ['- { name: a, command: [x], url: "http://h/mcp" }', 'a needs exactly one of command, url, agentcore and module'],
  ['- { name: a, command: [x] }\n    - { name: a, command: [y] }', 'a is there twice'],
  ['- { name: a, command: [x], colour: red }', '/0/colour'],
  ['- { name: a, command: [x], scope: forever }', '/0/scope'],
  ['- { name: "a b", command: [x] }', '/0/name'],
])('names what is wrong with %j', (yaml, problem) => expect(problemOf(`tools:\n  servers:\n    ${yaml}\n`)).toContain(problem));

it('M6 takes no credential that stands in the file itself, and repeats none', () => {
  const problem = problemOf('tools:\n  servers:\n    - { name: a, url: "http://h/mcp", headers: { Authorization: Bearer canary } }\n');
  expect(problem).toContain('the header Authorization of a must come from ${env:NAME} or ${file:PATH}');
  expect(problem).not.toContain('canary');
});

describe('credentials', () => {
  it('M6 come from the environment or a file, inside a longer text too', () => {
    writeFileSync(join(cwd, 'token'), 'from-file\n');
    const values = { a: 'Bearer ${env:TOKEN}', b: '${file:token}', c: 'plain' };
    expect(withSecrets('s', values, { env: { TOKEN: 'from-env' }, base: cwd })).toEqual({
      a: 'Bearer from-env',
      b: 'from-file',
      c: 'plain',
    });
  });

  it('M6 that are not there end the start by name, all of them at once', () => {
    const read = () => withSecrets('Tool server search', { a: '${env:NOT_SET}', b: '${file:nowhere}' }, { env: {}, base: cwd });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/search needs the environment variable NOT_SET[\s\S]*search needs the file nowhere \(ENOENT\)/);
  });
});
