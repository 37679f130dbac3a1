import { expect, test } from 'vitest';
import { findOidcFault, managementConfigSchema } from '../config.ts';
import { parseRoles, readRole } from './oidc-client.ts';

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
  expect(readRole({ roles }, 'roles', parseRoles(undefined))).toBe(role);
});

test('a claim may lie within others, and its values may be mapped', () => {
  const roles = parseRoles('agp admins=admin, cn=ops=operator');
  const read = (claims: object, claim: string) => readRole(claims as Record<string, unknown>, claim, roles);
  expect(read({ realm_access: { roles: ['agp admins'] } }, 'realm_access.roles')).toBe('admin');
  expect(read({ 'https://acme.test/roles': ['cn=ops'] }, 'https://acme.test/roles')).toBe('operator');
  // Without the map's words nobody is anybody.
  expect(read({ roles: ['admin'] }, 'roles')).toBeNull();
  for (const claim of ['constructor', '__proto__', 'realm_access.constructor.name', 'toString'])
    expect(read({ realm_access: { roles: ['agp admins'] } }, claim)).toBeNull();
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
