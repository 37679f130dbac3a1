import { expect, test } from 'vitest';
import { findGrant, grantsByName, grantsSchema } from './grants.ts';
import { findOidcFault, managementConfigSchema } from './management.ts';

test.each<[unknown, string | null]>([
  ['admin', 'admin'],
  ['Database admin', null],
  ['viewer operator', null],
  [['Database admin', 'viewer'], 'viewer'],
  [['viewer', 'auditor'], 'auditor'],
  [['Admin', 'administrator', ''], null],
  [[['admin'], { admin: true }, null, 1], null],
  [{ admin: true }, null],
  [true, null],
  [undefined, null],
])('a claim of %j gives %j', (roles, role) => {
  expect(findGrant({ roles }, 'roles', grantsByName)?.role ?? null).toBe(role);
});

test('a claim may lie within others, and its values may be mapped', () => {
  const grants = grantsSchema.parse('agp admins=admin, cn=ops=operator');
  const read = (claims: object, claim: string) =>
    findGrant(claims as Record<string, unknown>, claim, grants)?.role ?? null;
  expect(read({ realm_access: { roles: ['agp admins'] } }, 'realm_access.roles')).toBe('admin');
  expect(read({ 'https://acme.test/roles': ['cn=ops'] }, 'https://acme.test/roles')).toBe('operator');
  // Without the map's words nobody is anybody.
  expect(read({ roles: ['admin'] }, 'roles')).toBeNull();
  for (const claim of ['constructor', '__proto__', 'realm_access.constructor.name', 'toString'])
    expect(read({ realm_access: { roles: ['agp admins'] } }, claim)).toBeNull();
});

test.each<[string[], string | null, object | null]>([
  [['search-leads'], 'operator', { team: 'search' }],
  [['ads-leads'], 'admin', { team: 'ads', env: 'prod' }],
  // The setting's order counts, not the provider's, nor the role.
  [['ads-leads', 'search-leads'], 'operator', { team: 'search' }],
  // An entry of the whole installation wins, also with a lower role.
  [['ads-leads', 'finance'], 'viewer', null],
  [['finance', 'agp', 'search-leads'], 'admin', null],
  [['leads@team=search'], 'auditor', null],
  [['search-leads=operator'], null, null],
])('of groups %j counts %s of %j', (groups, role, match) => {
  const grants = grantsSchema.parse(
    'search-leads=operator@team=search, ads-leads=admin@team=ads;env=prod,finance=viewer,agp=admin,leads@team=search=auditor',
  );
  const grant = findGrant({ groups }, 'groups', grants);
  expect([grant?.role ?? null, grant?.match ?? null]).toEqual([role, match]);
});

test.each([
  [
    'a=admin,search-leads=root@team=search',
    '"search-leads=root@team=search": must be value=role or value=role@team=search',
  ],
  ['x=admin@', '"x=admin@": must be'],
  ['x=admin@team', '"x=admin@team": team must be a label such as team=search'],
  ['x=admin@team=', '"x=admin@team=": team= '],
  ['x=admin@team=a;team=b', '"x=admin@team=a;team=b": team=a;team=b must not repeat a label'],
  ['x=admin@a b=c', '"x=admin@a b=c": a b=c '],
  ['x=admin@a=1;b=1;c=1;d=1;e=1;f=1', 'must hold at most 5 labels'],
])('of %s the check names the entry at fault', (text, message) => {
  const { error } = managementConfigSchema.shape.oidcRoles.safeParse(text);
  expect(error?.issues.map((issue) => issue.message)).toEqual([expect.stringContaining(message)]);
});

const { shape } = managementConfigSchema;

test('settings that would not be safe, or cannot work, are refused', () => {
  for (const origin of ['http://agp.example', 'https://agp.example/', 'https://agp.example/x', 'agp.example', 'null'])
    expect(shape.consoleOrigin.safeParse(origin).success, origin).toBe(false);
  for (const origin of ['https://agp.example', 'https://agp.example:8443', 'http://localhost:8081'])
    expect(shape.consoleOrigin.safeParse(origin).success, origin).toBe(true);
  for (const issuer of ['http://id.example', 'https://id.example?x', 'https://a@id.example', 'id.example'])
    expect(shape.oidcIssuer.safeParse(issuer).success, issuer).toBe(false);
  for (const roles of ['admin', 'x=root', 'x=admin,', '=admin'])
    expect(shape.oidcRoles.safeParse(roles).success, roles).toBe(false);
  const [oidcIssuer, oidcClientId, consoleOrigin] = ['https://id.example', 'agp', 'https://agp.example'];
  expect(findOidcFault({ oidcIssuer, consoleOrigin })).toMatch(/^OIDC_CLIENT_ID/);
  expect(findOidcFault({ oidcIssuer, oidcClientId })).toMatch(/^CONSOLE_ORIGIN/);
  expect(findOidcFault({ oidcIssuer, oidcClientId, consoleOrigin })).toBeNull();
  expect(findOidcFault({})).toBeNull();
});
