import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issuersOf, loadConfig, type ConfigError, type ConfigSources, type DoorledgerConfig } from './index.js';

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'doorledger-config-'))));
afterEach(() => rmSync(cwd, { recursive: true }));

const yaml = (text: string) => writeFileSync(join(cwd, 'doorledger.config.yaml'), text);
const load = (sources: ConfigSources = {}): DoorledgerConfig => loadConfig({ cwd, env: {}, ...sources });
function problems(sources: ConfigSources = {}): readonly string[] {
  try {
    load(sources);
  } catch (error) {
    return (error as ConfigError).problems;
  }
  return [];
}
function warnings(env: NodeJS.ProcessEnv): string[] {
  const told: string[] = [];
  load({ env, warn: (sentence) => told.push(sentence) });
  return told;
}

const oidc = { DOORLEDGER_OIDC_ISSUER: 'https://id.example', DOORLEDGER_OIDC_AUDIENCES: 'doors' };

describe('settings of the guard', () => {
  it('takes hosts, origins and proxies as lists, and origins as `any`', () => {
    yaml('guard:\n  hosts: [door.example, "[::1]:8080"]\n  origins: [https://app.example]\n  trustedProxies: [10.0.0.0/8]\n');
    expect(load().guard).toMatchObject({
      hosts: ['door.example', '[::1]:8080'],
      origins: ['https://app.example'],
      contentType: true,
      trustedProxies: ['10.0.0.0/8'],
    });
    const env = { DOORLEDGER_GUARD_ORIGINS: 'any', DOORLEDGER_GUARD_HOSTS: 'a.example, b.example:80' };
    expect(load({ env }).guard).toMatchObject({ origins: 'any', hosts: ['a.example', 'b.example:80'] });
  });

  it.each([
    ['guard: {origins: ["*"]}'],
    ['guard: {origins: ["null"]}'],
    ['guard: {origins: ["https://app.example/"]}'],
    ['guard: {origins: ["https://*.example"]}'],
    ['guard: {origins: []}'],
  ])('G5 refuses %s', (line) => {
    yaml(`${line}\n`);
    expect(problems()).toEqual([expect.stringMatching(/^guard\.origins must be /)]);
  });

  it('G8 refuses an empty list of hosts', () => {
    yaml('guard: {hosts: []}\n');
    expect(problems()).toEqual([expect.stringMatching(/^guard\.hosts must be /)]);
  });
});

describe('settings of identity', () => {
  it('I10 takes one issuer from the environment, and several from the file', () => {
    yaml(
      'identity:\n  clockToleranceS: 0\n  issuers:\n    - issuer: https://b.example\n      audiences: [one, two]\n      jwksUri: https://keys.example/b\n      rolesClaim: realm_access.roles\n',
    );
    const config = load({ env: { ...oidc, DOORLEDGER_OIDC_TENANT_CLAIM: 'org.id' } });
    expect(config.identity.clockToleranceS).toBe(0);
    expect(issuersOf(config)).toEqual([
      { issuer: 'https://id.example', audiences: ['doors'], tenantClaim: 'org.id' },
      { issuer: 'https://b.example', audiences: ['one', 'two'], jwksUri: 'https://keys.example/b', rolesClaim: 'realm_access.roles' },
    ]);
    expect(issuersOf(load({ env: { DOORLEDGER_IDENTITY_ISSUERS: '[{"issuer":"https://c.example","audiences":["x"]}]' } }))).toHaveLength(
      2 - 1,
    );
  });

  it.each([
    ['7'],
    ['[]'],
    ['[null]'],
    ['[{issuer: https://a.example}]'],
    ['[{issuer: https://a.example, audiences: []}]'],
    ['[{issuer: a.example, audiences: [x]}]'],
    ['[{issuer: https://a.example, audiences: [x], jwks: https://a.example}]'],
  ])('I7 and I10 refuse the issuers %s', (list) => {
    yaml(`identity: {issuers: ${list}}\n`);
    expect(problems()).toEqual([expect.stringMatching(/^identity\.issuers must be a list of issuers/)]);
  });

  it('I7 and I10 refuse an issuer without an audience, one named twice, and a clock tolerance past 120 s', () => {
    expect(problems({ env: { DOORLEDGER_OIDC_ISSUER: 'https://id.example' } })).toEqual([
      expect.stringMatching(/^oidc\.issuer and oidc\.audiences/),
    ]);
    const again = { ...oidc, DOORLEDGER_IDENTITY_ISSUERS: '[{"issuer":"https://id.example","audiences":["x"]}]' };
    expect(problems({ env: again })).toEqual(['identity.issuers names an issuer twice, or the one of oidc.issuer again.']);
    expect(problems({ env: { DOORLEDGER_IDENTITY_CLOCK_TOLERANCE_S: '121' } })).toEqual([expect.stringMatching(/from 0 to 120/)]);
  });

  it('warns of settings that an open door, or a checked one, does not use', () => {
    expect(warnings({ DOORLEDGER_IDENTITY_ALLOW_ANONYMOUS: 'true' })).toEqual([
      expect.stringMatching(/^identity\.allowAnonymous is not used/),
    ]);
    expect(warnings({ ...oidc, DOORLEDGER_IDENTITY_OPEN: 'true' })).toEqual([expect.stringMatching(/^identity\.open is not used/)]);
  });
});

describe('settings of admission', () => {
  const limit = { DOORLEDGER_ADMISSION_TURNS_PER_HOUR: '5' };
  const postgres = { DOORLEDGER_STORE: 'postgres', DOORLEDGER_DATABASE_URL: 'postgres://h/d' };

  it('A3 has no default for what happens while the shared store is down', () => {
    expect(problems({ env: { ...limit, ...postgres } })).toEqual([expect.stringContaining('admission.whenStoreDown')]);
    expect(problems({ env: { ...limit, ...postgres, DOORLEDGER_ADMISSION_WHEN_STORE_DOWN: 'allow' } })).toEqual([]);
    expect(problems({ env: limit })).toEqual([]);
  });

  it('A3 needs a limit of each person beside the one for everybody else', () => {
    expect(problems({ env: { DOORLEDGER_ADMISSION_ANONYMOUS_TURNS_PER_HOUR: '0' } })).toHaveLength(1);
    expect(load({ env: { ...limit, DOORLEDGER_ADMISSION_ANONYMOUS_TURNS_PER_HOUR: '0' } }).admission).toMatchObject({
      turnsPerHour: 5,
      anonymousTurnsPerHour: 0,
    });
  });

  it('A3 warns of a limit that each host of a cluster counts by itself', () => {
    const cluster = { DOORLEDGER_LOG: 'kafka', DOORLEDGER_KAFKA_BROKERS: 'a:1', DOORLEDGER_KEY: 'ab'.repeat(32) };
    expect(warnings({ ...limit, ...cluster })).toEqual([expect.stringMatching(/counts on each host by itself/)]);
  });
});
