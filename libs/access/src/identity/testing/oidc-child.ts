import Provider, { type Configuration } from 'oidc-provider';

/** A real OpenID provider at `port` of this machine, signing with the private keys of `keys` (a key set as JSON). Run as a process. */
const [, , port = '', keys = ''] = process.argv;

const configuration: Configuration = {
  jwks: JSON.parse(keys) as Configuration['jwks'],
  clients: [
    {
      client_id: 'robot',
      client_secret: 'secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: 'ES256',
    },
  ],
  scopes: ['use'],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, audience) => ({
        audience,
        scope: 'use',
        accessTokenFormat: 'jwt',
        accessTokenTTL: 300,
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
  extraTokenClaims: () => ({ org: { id: 'acme' }, realm: { roles: ['auditor', 'approver'] } }),
};

new Provider(`http://127.0.0.1:${port}`, configuration).listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
