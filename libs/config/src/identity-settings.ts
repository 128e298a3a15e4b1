import { address, claim, issuerList, type IssuerConfig } from './issuers.js';
import { choice, integer, list, text, yesOrNo } from './kind.js';
import { Setting } from './setting.js';

const url = text('an address that begins with `https://` (or `http://`)', address);
const claimName = text('the name of a claim, with `.` between for a nested one', claim);

/** One issuer, in settings of its own, so that it can be named in the environment. */
export class OidcSettings {
  @Setting({ about: 'Issuer of the tokens that callers bring, exactly as it stands in their `iss`.', kind: url })
  readonly issuer?: string;

  @Setting({
    about: 'Names of this deployment in the `aud` of tokens, one of which must be there; needed with `oidc.issuer`.',
    kind: list(text('', /^\S+$/), 'a list of names (with commas between, outside the file)'),
  })
  readonly audiences?: readonly string[];

  @Setting({
    about: 'Where the issuer publishes its keys.',
    kind: url,
    otherwise: 'as `<issuer>/.well-known/openid-configuration` says',
  })
  readonly jwksUri?: string;

  @Setting({
    about: 'Claim that names the tenant. Where it is set, a token without it is refused.',
    kind: claimName,
    otherwise: 'no tenants: everybody is of the same one',
  })
  readonly tenantClaim?: string;

  @Setting({
    about: 'Claim that holds the roles, a list or a text with spaces between. A token without it has none.',
    kind: claimName,
    otherwise: 'nobody has a role',
  })
  readonly rolesClaim?: string;

  @Setting({
    about: 'Claim that names the namespace a service spends in: 1 to 64 letters, digits, `.`, `_` and `-`.',
    kind: claimName,
    otherwise: 'no service can spend',
  })
  readonly namespaceClaim?: string;
}

export class IdentitySettings {
  @Setting({ about: 'Issuers beside the one of `oidc.issuer`.', kind: issuerList })
  readonly issuers?: readonly IssuerConfig[];

  @Setting({ about: 'How far an issuer’s clock may be off, in seconds.', kind: integer(0, 120) })
  readonly clockToleranceS: number = 30;

  @Setting({ about: 'Serve callers that bring no token, as nobody.', kind: yesOrNo })
  readonly allowAnonymous: boolean = false;

  @Setting({
    about:
      'First of two settings that let a door without any issuer listen on an address that other machines reach, where everybody is then served.',
    kind: yesOrNo,
  })
  readonly open: boolean = false;

  @Setting({ about: 'Second of the two.', kind: choice('no', 'i-know') })
  readonly openOnNetwork: 'no' | 'i-know' = 'no';
}
