import { integer, list, text } from './kind.js';
import { Setting } from './setting.js';
import { isSafeAddress } from './webhook-endpoints.js';

const publicOrigin = {
  allowed: 'an origin such as `https://ledger.example`, without a path (`http://` only on this machine)',
  accepts: (value: unknown) => typeof value === 'string' && isSafeAddress(value) && new URL(value).origin === value.replace(/\/$/, ''),
  fromText: (value: string) => value,
};

const anyScopes = list(
  text('', /^[\x21\x23-\x5b\x5d-\x7e]+$/),
  'a list of scopes (with commas between, outside the file), `openid` among them',
);
const scopeList = { ...anyScopes, accepts: (value: unknown) => anyScopes.accepts(value) && (value as string[]).includes('openid') };

/** How people sign in to the console, at the issuer of `oidc.*` (P1). */
export class SignInSettings {
  @Setting({
    about:
      'Name of this deployment at the identity provider of `oidc.issuer`; turns signing in on. The same on hosts and projectors (docs/guides/oidc.md).',
    kind: text('a client id', /^[\x21-\x7e]{1,400}$/),
    otherwise: 'nobody signs in with a browser',
  })
  readonly clientId?: string;

  @Setting({
    about: 'Secret of that client; only the projector (or `up`) needs it. A public client has none.',
    kind: text('a secret', /^.{1,1000}$/),
    secret: true,
  })
  readonly clientSecret?: string;

  @Setting({ about: 'File that holds the secret instead, read at the start.', kind: text('a file', /^[^\0]+$/) })
  readonly clientSecretFile?: string;

  @Setting({
    about:
      'Where browsers find the console and both APIs: one origin. The provider sends people back to `/auth/callback` under it; needed with `signIn.clientId`.',
    kind: publicOrigin,
  })
  readonly publicUrl?: string;

  @Setting({
    about: 'Scopes that are asked for; `openid` is one of them. The claims of roles and tenant have to be in the id token.',
    kind: scopeList,
  })
  readonly scopes: readonly string[] = ['openid', 'profile'];

  @Setting({ about: 'How long a sign-in lasts, in hours; then the provider is asked again.', kind: integer(1, 24) })
  readonly hours: number = 8;
}
