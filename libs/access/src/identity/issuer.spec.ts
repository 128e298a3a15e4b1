import { claimedPrincipal, type IssuerSettings } from './issuer.js';

const settings: IssuerSettings = { issuer: 'https://id.example', audiences: ['doors'] };
const rolesOf = (claims: object, rolesClaim: string) => claimedPrincipal({ sub: 'ada', ...claims }, { ...settings, rolesClaim }).roles;

describe('the claim paths', () => {
  it.each<[object, string, string[]]>([
    [{ roles: ['user', 'approver'] }, 'roles', ['user', 'approver']],
    [{ scope: 'user  approver user' }, 'scope', ['user', 'approver']],
    [{ realm: { access: { roles: ['user'] } } }, 'realm.access.roles', ['user']],
    [{ 'https://example.org/roles': ['user'] }, 'https://example.org/roles', ['user']],
    [{ resource_access: { 'my.app': { roles: ['user'] } } }, 'resource_access.my.app.roles', ['user']],
    [{ a: { x: 1 }, 'a.b': { c: ['user'] } }, 'a.b.c', ['user']],
    [{ roles: ['user', 7, null, ''] }, 'roles', ['user']],
  ])('I10 and P1 find the roles of %j under %s', (claims, path, roles) => {
    expect(rolesOf(claims, path)).toEqual(roles);
  });

  it.each<[object, string]>([
    [{}, 'roles'],
    [{ realm: null }, 'realm.roles'],
    [{ realm: 'text' }, 'realm.length'],
    [{ realm: {} }, 'realm.roles.deep'],
    [{ roles: { user: true } }, 'roles'],
    [{ roles: 7 }, 'roles'],
    [{}, 'constructor.name'],
    [{}, '__proto__.toString'],
    [{ realm: {} }, ''],
  ])('I10 and P1 find no role, and no error, in %j under %s', (claims, path) => {
    expect(rolesOf(claims, path)).toEqual([]);
  });

  it('I10 takes roles and tenants from configured claims only', () => {
    expect(claimedPrincipal({ sub: 'ada', roles: ['operator'], tenant: 'acme' }, settings)).toEqual({
      issuer: 'https://id.example',
      subject: 'ada',
      roles: [],
    });
  });

  it('I9 takes the tenant from its claim, and an empty one where there is none, which proves nobody', () => {
    const tenantOf = (claims: object) => claimedPrincipal({ sub: 'ada', ...claims }, { ...settings, tenantClaim: 'org.id' }).tenant;
    expect(tenantOf({ org: { id: 'acme' } })).toBe('acme');
    for (const claims of [{}, { org: {} }, { org: { id: 7 } }, { org: { id: ['acme'] } }]) expect(tenantOf(claims)).toBe('');
  });
});
