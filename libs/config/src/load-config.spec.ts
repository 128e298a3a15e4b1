import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ConfigError, loadConfig, resolveConfig, settings, type ConfigSources } from './index.js';

const KEY = 'ab'.repeat(32);
let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'doorledger-config-'))));
afterEach(() => rmSync(cwd, { recursive: true }));

const yaml = (text: string, name = 'doorledger.config.yaml') => writeFileSync(join(cwd, name), text);
const load = (sources: ConfigSources = {}) => loadConfig({ cwd, env: {}, ...sources });
function problems(sources: ConfigSources = {}): readonly string[] {
  try {
    load(sources);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).code).toBe('ERR_CONFIG');
    expect((error as ConfigError).message.split('\n')).toEqual((error as ConfigError).problems);
    return (error as ConfigError).problems;
  }
  return [];
}

describe('where settings come from', () => {
  it('needs nothing: every setting has its default', () => {
    expect(load()).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      projectorPort: 8081,
      data: join(cwd, 'data'),
      log: 'sqlite',
      store: 'sqlite',
      hostId: `${hostname()}-8080`,
      deployment: 'local',
      door: { path: '/invoke', sessionHeader: 'x-session-id' },
      ingress: { served: 'before-reply', refusals: 'buffered' },
      turn: { steps: 24 },
      agent: 'command',
      concurrency: 'reject',
    });
  });

  it('lets the file beat a default, the environment beat the file, and a flag beat them all', () => {
    yaml('port: 1\nprojectorPort: 1\ndeployment: file\ndoor:\n  path: /file\n');
    const env = { DOORLEDGER_PORT: '2', DOORLEDGER_DEPLOYMENT: 'env', DOORLEDGER_DOOR_PATH: '/env' };
    const { config, origins } = resolveConfig({ cwd, env, flags: { port: '3', 'door.path': '/flag' } });
    expect(config).toMatchObject({
      host: '127.0.0.1',
      projectorPort: 1,
      deployment: 'env',
      port: 3,
      door: { path: '/flag', sessionHeader: 'x-session-id' },
    });
    expect(Object.fromEntries(origins)).toEqual({
      port: 'flag --port',
      projectorPort: 'line 2 of doorledger.config.yaml',
      deployment: 'environment variable DOORLEDGER_DEPLOYMENT',
      'door.path': 'flag --door-path',
    });
  });

  it('reads every setting from the environment under the name its path gives, and by flag unless it is a secret', () => {
    const names = Object.fromEntries(settings.map(({ path, env, flag }) => [path, [env, flag]]));
    expect(names).toMatchObject({
      databaseUrl: ['DOORLEDGER_DATABASE_URL', undefined],
      key: ['DOORLEDGER_KEY', undefined],
      hostId: ['DOORLEDGER_HOST_ID', '--host-id'],
      'door.sessionHeader': ['DOORLEDGER_DOOR_SESSION_HEADER', '--door-session-header'],
      'turn.wallTimeMs': ['DOORLEDGER_TURN_WALL_TIME_MS', '--turn-wall-time-ms'],
    });
    expect(load({ env: { DOORLEDGER_KAFKA_BROKERS: 'a:1, b:2' } }).kafka.brokers).toEqual(['a:1', 'b:2']);
  });

  it('takes an empty variable as absent and an empty file or section as nothing said', () => {
    yaml('# nothing yet\n');
    expect(load({ env: { DOORLEDGER_PORT: '' } }).port).toBe(8080);
    yaml('door:\nport: 5\n');
    expect(load()).toMatchObject({ port: 5, door: { path: '/invoke' } });
  });

  it('takes a relative data folder from the file that names it, else from the working directory', () => {
    mkdirSync(join(cwd, 'etc'));
    yaml('data: store\n', 'etc/d.yaml');
    expect(load({ file: 'etc/d.yaml' }).data).toBe(join(cwd, 'etc/store'));
    expect(load({ file: 'etc/d.yaml', env: { DOORLEDGER_DATA: 'store' } }).data).toBe(join(cwd, 'store'));
    expect(load({ file: 'etc/d.yaml', flags: { data: '/var/d' } }).data).toBe('/var/d');
  });

  it('follows an anchor in the file', () => {
    yaml('host: &name alpha\ndeployment: *name\n');
    expect(load().deployment).toBe('alpha');
  });

  it('gives a host its name from the machine and its port, unless it is told one', () => {
    expect(load({ flags: { port: '9000' } }).hostId).toBe(`${hostname()}-9000`);
    expect(load({ env: { DOORLEDGER_HOST_ID: 'blue' } }).hostId).toBe('blue');
  });

  it('cannot be changed afterwards', () => {
    const config = load();
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config.door, { path: '/x' })).toThrow(TypeError);
  });
});

describe('what is wrong', () => {
  it('K15 tells every wrong setting at once, one sentence each, with what is allowed and where it stands', () => {
    yaml('port: "80"\nlog: kafak\ndoor:\n  path: health\nkafka:\n  brokers: [a]\n');
    expect(problems({ env: { DOORLEDGER_TURN_STEPS: '1.5' }, flags: { concurrency: 'wait' } })).toEqual([
      'port must be a whole number from 0 to 65535 (line 1 of doorledger.config.yaml).',
      'log must be one of `sqlite`, `kafka` (line 2 of doorledger.config.yaml).',
      'kafka.brokers must be a list of `host:port` (with commas between, outside the file) (line 6 of doorledger.config.yaml).',
      expect.stringMatching(/^door\.path must be a path .* \(line 4 of doorledger\.config\.yaml\)\.$/),
      'turn.steps must be a whole number from 1 to 1000 (environment variable DOORLEDGER_TURN_STEPS).',
      'concurrency must be one of `reject`, `enqueue` (flag --concurrency).',
    ]);
  });

  it.each([
    ['port', ['-1', '65536', '1e3', ' 80', '0x50', 'NaN']],
    ['closeTimeoutMs', ['0', '3600001']],
    ['host', ['a b', '']],
    ['data', ['']],
    ['hostId', ['a/b', 'ü', '', 'a'.repeat(201)]],
    ['kafka.brokers', ['', 'a:1,,b:2', 'a b:1', 'a:']],
    ['door.path', ['invoke', '/', '/health', '/v1/turns', '/conversation', '/a?b', '/a b']],
    ['door.sessionHeader', ['X-Session', 'x session', '']],
    ['ingress.served', ['never']],
    ['logging.level', ['loud']],
    ['agent', ['talk', 'module:']],
  ])('K15 refuses a wrong %s', (path, texts) => {
    for (const text of texts) expect(problems({ flags: { [path]: text } })).toEqual([expect.stringMatching(`^${path} must be `)]);
  });

  it('L20 needs to know whom agent: chat asks', () => {
    expect(problems({ flags: { agent: 'chat' } })).toEqual([expect.stringContaining('agent: chat needs model.baseUrl and model.name')]);
    expect(problems({ flags: { agent: 'chat', 'model.baseUrl': 'http://m/v1', 'model.name': 'm' } })).toEqual([]);
  });

  it.each([
    ['port', ['0', '65535']],
    ['host', ['0.0.0.0', '::1', 'door.example']],
    ['kafka.brokers', ['a:1', '10.0.0.1:9092,b-2.example:9093']],
    ['door.path', ['/ask', '/v1beta/ask', '/healthy']],
  ])('takes a right %s', (path, texts) => {
    for (const text of texts) expect(problems({ flags: { [path]: text } })).toEqual([]);
  });

  it.each(['port: 80.5', 'port: true', 'port: [80]', 'port:', 'deployment: 7', 'kafka: {brokers: "a:1"}', 'data: {a: 1}'])(
    'refuses the wrong type in %j',
    (line) => {
      yaml(`${line}\n`);
      expect(problems()).toEqual([expect.stringMatching(/ must be .* \(line 1 of doorledger\.config\.yaml\)\.$/)]);
    },
  );

  it.each([
    ['prot: 1', 'There is no setting prot (line 1 of doorledger.config.yaml); did you mean port?'],
    ['session_header: a', 'There is no setting session_header (line 1 of doorledger.config.yaml); did you mean door.sessionHeader?'],
    ['door: {pth: /a}', 'There is no setting door.pth (line 1 of doorledger.config.yaml); did you mean door.path?'],
    ['colour: red', 'There is no setting colour (line 1 of doorledger.config.yaml).'],
    ['__proto__: {port: 1}', 'There is no setting __proto__ (line 1 of doorledger.config.yaml).'],
    ['door: /invoke', 'door must hold settings of its own, indented below it (line 1 of doorledger.config.yaml).'],
    ['- port', 'doorledger.config.yaml must hold `key: value` lines.'],
  ])('K15 names the unknown key in %j and the nearest known one', (line, sentence) => {
    yaml(`${line}\n`);
    expect(problems()).toEqual([sentence]);
  });

  it('names the line of a mistake in the YAML and quotes nothing of it', () => {
    yaml(`port: 1\nkey: "${KEY}\nport: 2`);
    const found = problems();
    expect(found[0]).toMatch(/^Line \d+ of doorledger\.config\.yaml is not valid YAML \([A-Z_]+\)\.$/);
    expect(found.join()).not.toContain(KEY);
    yaml('port: 1\nport: 2\n');
    expect(problems()).toEqual(['Line 2 of doorledger.config.yaml is not valid YAML (DUPLICATE_KEY).']);
  });

  it('refuses a --config file that does not exist or cannot be read', () => {
    expect(problems({ file: 'other.yaml' })).toEqual(['The configuration file other.yaml does not exist.']);
    expect(problems({ file: '.' })).toEqual(['The configuration file . cannot be read (EISDIR).']);
  });

  it('X1 requires the deployment key, and the brokers, with Kafka', () => {
    expect(problems({ env: { DOORLEDGER_LOG: 'kafka' }, flags: { port: 'x' } })).toEqual([
      'port must be a whole number from 0 to 65535 (flag --port).',
      'log: kafka needs kafka.brokers, a list of host:port (or DOORLEDGER_KAFKA_BROKERS).',
      'log: kafka needs key, the deployment key that all hosts share (or DOORLEDGER_KEY).',
    ]);
    expect(load({ env: { DOORLEDGER_LOG: 'kafka', DOORLEDGER_KAFKA_BROKERS: 'a:1', DOORLEDGER_KEY: KEY } }).log).toBe('kafka');
    expect(load({ needsKey: false, env: { DOORLEDGER_LOG: 'kafka', DOORLEDGER_KAFKA_BROKERS: 'a:1' } }).log).toBe('kafka');
  });

  it('requires the database address with PostgreSQL', () => {
    expect(problems({ env: { DOORLEDGER_STORE: 'postgres' } })).toHaveLength(1);
    expect(problems({ env: { DOORLEDGER_STORE: 'postgres', DOORLEDGER_DATABASE_URL: 'mysql://x' } })).toEqual([
      expect.stringMatching(/^databaseUrl must be an address/),
    ]);
    expect(load({ env: { DOORLEDGER_STORE: 'postgres', DOORLEDGER_DATABASE_URL: 'postgres://u:p@h/d' } }).store).toBe('postgres');
  });

  it('warns of what nobody reads, and goes on', () => {
    const warnings: string[] = [];
    const env = { DOORLEDGER_PROT: '1', DOORLEDGER_XYZZY: '1', DOORLEDGER_KAFKA_BROKERS: 'a:1', OTHER: '1' };
    expect(load({ env, warn: (sentence) => warnings.push(sentence) }).port).toBe(8080);
    expect(warnings).toEqual([
      'The environment variable DOORLEDGER_PROT is no setting and is ignored; did you mean DOORLEDGER_PORT?',
      'The environment variable DOORLEDGER_XYZZY is no setting and is ignored.',
      'kafka.brokers is not used, because log is not kafka.',
    ]);
  });
});

describe('secrets', () => {
  const secrets = { DOORLEDGER_KEY: KEY, DOORLEDGER_DATABASE_URL: 'postgres://u:hunter2@h/d', DOORLEDGER_KAFKA_PASSWORD: 'hunter2' };

  it('are given to who asks by name, and shown to nobody who prints the configuration', () => {
    const config = load({ env: secrets });
    expect(config.key).toBe(KEY);
    for (const shown of [JSON.stringify(config), inspect(config), inspect({ config }, { depth: 9 })]) {
      expect(shown).not.toMatch(/abab|hunter2/);
      expect(shown.match(/\[secret\]/g)!.length).toBeGreaterThanOrEqual(3);
    }
  });

  it.each(['hunter2', 'z'.repeat(64), 'ab'.repeat(31)])('are in no error, even when they are wrong', (wrong) => {
    const found = problems({ env: { DOORLEDGER_KEY: wrong, DOORLEDGER_DATABASE_URL: wrong } });
    expect(found).toHaveLength(2);
    expect(found.join()).not.toContain(wrong);
  });

  it('are taken in hex, base64 and base64url', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(problems({ env: { DOORLEDGER_KEY: bytes.toString(encoding) } })).toEqual([]);
  });

  it('are not taken from a flag', () => {
    expect(load({ flags: { key: KEY } }).key).toBeUndefined();
  });
});
