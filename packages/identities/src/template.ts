/** Text between claims, or the path of a claim. */
export type Part = { text: string } | { claim: string };

export type ClaimValue = string | number | boolean;

/** @throws SyntaxError for a brace that is not closed, not opened, or holds no path */
export function parseTemplate(template: string): Part[] {
  const parts: Part[] = [];
  for (const [index, piece] of template.split(/\{([^{}]+)\}/).entries()) {
    if (index % 2 === 1) parts.push({ claim: piece });
    else if (/[{}]/.test(piece)) throw new SyntaxError('has a brace without its other, or without a claim in it');
    else if (piece !== '') parts.push({ text: piece });
  }
  return parts;
}

/** Whether every two claims have text between them: what two values give could not be told apart else. */
export function isDivided(parts: readonly Part[]): boolean {
  return parts.every((part, index) => 'text' in part || !('claim' in (parts[index + 1] ?? { text: '' })));
}

/** What a claim is, by its whole name, or else by its path; undefined if there is none. */
export function readClaim(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('/')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Which of the two a claim that there is was read by: its whole name, or its path in several steps. */
export const stepsOf = (claims: Readonly<Record<string, unknown>>, path: string): string | string[] =>
  Object.hasOwn(claims, path) ? path : path.split('/');

/** Whether a value is one text: numbers beyond 2^53 are not, since parsing makes several of them one. */
export function isClaimValue(value: unknown): value is ClaimValue {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return (typeof value === 'string' && value !== '') || typeof value === 'boolean';
}
