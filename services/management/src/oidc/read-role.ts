import { type ConsoleRole, consoleRoles } from '@agp/core/contracts';

/** Values of a claim that are looked at. */
const mostValues = 1_000;

/** A claim may lie within others: `realm_access.roles`. A claim whose own name has dots, or is a URL, is found first. */
function readClaim(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** Reads `OIDC_ROLES`: the role for each value of the claim. Without it the roles' own names count. */
export function parseRoles(pairs: string | undefined): ReadonlyMap<string, ConsoleRole> {
  if (pairs === undefined) return new Map(consoleRoles.map((role) => [role, role]));
  return new Map(
    pairs.split(',').map((pair) => {
      const at = pair.lastIndexOf('=');
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim() as ConsoleRole];
    }),
  );
}

/**
 * The highest role that a person's claims give; null where they give none.
 *
 * @param claim whose value is a text or a list of texts; each counts as a whole, since names of groups may have spaces
 */
export function readRole(
  claims: Readonly<Record<string, unknown>>,
  claim: string,
  roles: ReadonlyMap<string, ConsoleRole>,
): ConsoleRole | null {
  const value = readClaim(claims, claim);
  const texts = Array.isArray(value) ? value : [value];
  const held = new Set(texts.slice(0, mostValues).map((text) => (typeof text === 'string' ? roles.get(text) : null)));
  return consoleRoles.findLast((role) => held.has(role)) ?? null;
}
