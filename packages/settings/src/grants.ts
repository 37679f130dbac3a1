import { type ConsoleRole, consoleRoles, type Team, teamWordsSchema } from '@agp/core/contracts';
import { z } from 'zod';

/** Values of a claim that are looked at. */
const maxClaimValues = 1_000;

/** What a value of the role claim gives. */
interface Grant {
  value: string;
  role: ConsoleRole;
  /** Whose view they have; null for the whole installation. */
  match: Team | null;
}

/** Without `OIDC_ROLES` the roles' own names count. */
export const grantsByName: readonly Grant[] = consoleRoles.map((role) => ({ value: role, role, match: null }));

const written = new RegExp(`^(.+?)=(${consoleRoles.join('|')})(?:@(.+))?$`);
const form = `must be value=role or value=role@team=search, with a role of ${consoleRoles.join(', ')}`;

/** One entry of `OIDC_ROLES`, or what is wrong with it. */
function readGrant(entry: string): Grant | string {
  const [, value, role, labels] = written.exec(entry) ?? [];
  if (value === undefined) return form;
  const match = labels === undefined ? undefined : teamWordsSchema.safeParse(labels.split(';'));
  if (match?.error) return `${labels} ${match.error.issues[0]?.message}`;
  return { value: value.trim(), role: role as ConsoleRole, match: match?.data ?? null };
}

/** `OIDC_ROLES`: `value=role`, or `value=role@label=value;label=value` for the view of a team, separated by commas. */
export const grantsSchema = z.string().transform((text, { addIssue }) =>
  text.split(',').flatMap((part) => {
    const entry = part.trim();
    const grant = readGrant(entry);
    if (typeof grant !== 'string') return grant;
    addIssue(`its entry ${JSON.stringify(entry)}: ${grant}`);
    return [];
  }),
);

/** A claim may lie within others: `realm_access.roles`. One whose own name has dots, or is a URL, is found first. */
function readClaim(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/**
 * What a person's claims give: the highest role for the whole installation, else the first entry for a team, else null. A text counts as a
 * whole, since names of groups may have spaces.
 */
export function findGrant(
  claims: Readonly<Record<string, unknown>>,
  claim: string,
  grants: readonly Grant[],
): Grant | null {
  const value = readClaim(claims, claim);
  const held = new Set<unknown>((Array.isArray(value) ? value : [value]).slice(0, maxClaimValues));
  const given = grants.filter((grant) => held.has(grant.value));
  const whole = given.filter(({ match }) => match === null);
  const [highest] = whole.toSorted((a, b) => consoleRoles.indexOf(b.role) - consoleRoles.indexOf(a.role));
  return highest ?? given[0] ?? null;
}
