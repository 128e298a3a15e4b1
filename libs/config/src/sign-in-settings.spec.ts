import { loadConfig, type ConfigError, type DoorledgerConfig } from './index.js';

const env = {
  DOORLEDGER_OIDC_ISSUER: 'https://id.example',
  DOORLEDGER_OIDC_AUDIENCES: 'doors',
  DOORLEDGER_SIGN_IN_CLIENT_ID: 'console',
  DOORLEDGER_SIGN_IN_PUBLIC_URL: 'https://ledger.example',
};

const load = (more: Record<string, string>, warn = (_: string) => {}): DoorledgerConfig =>
  loadConfig({ cwd: __dirname, env: { ...env, ...more }, warn });

function problems(more: Record<string, string>): readonly string[] {
  try {
    load(more);
  } catch (error) {
    return (error as ConfigError).problems;
  }
  return [];
}

it('P1 signs people in at the issuer of tokens, for eight hours unless told otherwise, and prints no secret', () => {
  const config = load({ DOORLEDGER_SIGN_IN_CLIENT_SECRET: 'hush', DOORLEDGER_SIGN_IN_SCOPES: 'openid, profile,groups' });
  expect(config.signIn).toMatchObject({ hours: 8, scopes: ['openid', 'profile', 'groups'], clientSecret: 'hush' });
  expect(JSON.stringify(config)).not.toContain('hush');
});

it.each<[Record<string, string>, RegExp]>([
  [{ DOORLEDGER_SIGN_IN_PUBLIC_URL: '' }, /^signIn\.clientId needs signIn\.publicUrl and oidc\.issuer/],
  [{ DOORLEDGER_OIDC_ISSUER: '', DOORLEDGER_OIDC_AUDIENCES: '' }, /^signIn\.clientId needs signIn\.publicUrl and oidc\.issuer/],
  [{ DOORLEDGER_SIGN_IN_PUBLIC_URL: 'http://ledger.example' }, /^signIn\.publicUrl must be an origin/],
  [{ DOORLEDGER_SIGN_IN_PUBLIC_URL: 'https://ledger.example/console' }, /^signIn\.publicUrl must be an origin/],
  [{ DOORLEDGER_SIGN_IN_SCOPES: 'profile' }, /^signIn\.scopes must be .*`openid` among them/],
  [{ DOORLEDGER_SIGN_IN_HOURS: '25' }, /^signIn\.hours must be a whole number from 1 to 24/],
  [
    { DOORLEDGER_SIGN_IN_CLIENT_SECRET: 'a', DOORLEDGER_SIGN_IN_CLIENT_SECRET_FILE: '/b' },
    /^signIn\.clientSecret and signIn\.clientSecretFile/,
  ],
])('P1 refuses %j', (more, sentence) => {
  expect(problems(more)).toEqual([expect.stringMatching(sentence)]);
});

it('P1 takes plain HTTP on this machine, and says what is set for nothing', () => {
  expect(load({ DOORLEDGER_SIGN_IN_PUBLIC_URL: 'http://127.0.0.1:8080' }).signIn.publicUrl).toBe('http://127.0.0.1:8080');
  const said: string[] = [];
  load({ DOORLEDGER_SIGN_IN_CLIENT_ID: '' }, (sentence) => said.push(sentence));
  expect(said).toEqual(['signIn.publicUrl is not used, because signIn.clientId is not set.']);
});
