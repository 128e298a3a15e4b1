import Provider, { type Configuration } from 'oidc-provider';

/** A real OpenID provider that people sign in at: port, private keys, redirect URI and people as arguments. Run as a process. */
const [, , port = '', keys = '', redirectUri = '', people = ''] = process.argv;

const known = JSON.parse(people) as Record<string, Record<string, unknown>>;
const configuration: Configuration = {
  jwks: JSON.parse(keys) as Configuration['jwks'],
  clients: [
    {
      client_id: 'console',
      client_secret: 'kept-between-two',
      redirect_uris: [redirectUri],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...known[sub], sub }) }),
  claims: { openid: ['sub', 'name', 'roles', 'org'] },
  conformIdTokenClaims: false,
  features: { devInteractions: { enabled: true } },
};

new Provider(`http://127.0.0.1:${port}`, configuration).listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
