import { compilePattern, maxSteps } from '@agp/pii/own-pattern';
import type { OwnPattern } from './data-schema.ts';
import type { Policy } from './schema.ts';

/** Why a policy cannot be used, and where it says so. */
export interface PatternFault {
  path: (string | number)[];
  message: string;
}

type Patterned = Pick<Policy, 'name' | 'pii'>;

/** Whether policies have patterns of their own, which must be tried. */
export const havePatterns = (policies: readonly Patterned[]): boolean =>
  policies.some(({ pii }) => (pii?.patterns?.length ?? 0) > 0);

/**
 * The first fault of patterns: those that do not compile, do not find their examples, or cost too much, alone or together. Slow for those
 * that are meant to be: for a thread of its own.
 *
 * @param beside policies whose patterns are searched for in the same texts
 * @param most steps that all of them may cost a character
 */
export function findPatternFault(
  policy: Patterned,
  beside: readonly Patterned[] = [],
  most = maxSteps.policy,
): PatternFault | null {
  const patterns = policy.pii?.patterns ?? [];
  let [own, all] = [0, beside.reduce((sum, each) => sum + countOf(each), 0)];
  for (const [at, pattern] of patterns.entries()) {
    const fault = (member: (string | number)[], message: string) => ({
      path: ['pii', 'patterns', at, ...member],
      message,
    });
    try {
      const { match, steps } = compilePattern(pattern.pattern, pattern.longest);
      const wrong = findWrongExample(pattern, match);
      if (wrong !== null) return fault(wrong.path, wrong.message);
      own += steps;
      all += steps;
    } catch (error) {
      return fault(['pattern'], (error as Error).message);
    }
    if (own > maxSteps.policy) return fault(['pattern'], tooMany('of this policy', maxSteps.policy, own));
    if (all > most) return fault(['pattern'], tooMany('that one call may meet', most, all));
  }
  return null;
}

const tooMany = (whose: string, most: number, steps: number): string =>
  `patterns ${whose} may cost ${most} steps a character, with it they cost ${steps}: needs fewer patterns or repetitions, or a smaller \`longest\``;

/** One that cannot be used costs nothing here. */
function countOf({ pii }: Patterned): number {
  return (pii?.patterns ?? []).reduce((sum, { pattern, longest }) => {
    try {
      return sum + compilePattern(pattern, longest).steps;
    } catch {
      return sum;
    }
  }, 0);
}

function findWrongExample(
  { longest, matches, ignores }: OwnPattern,
  match: ReturnType<typeof compilePattern>['match'],
): PatternFault | null {
  const lengthIn = (text: string) => {
    let most = 0;
    match(text, (start, end) => {
      most = Math.max(most, end - start);
    });
    return most;
  };
  for (const [at, text] of matches.entries()) {
    const length = lengthIn(text);
    if (length === 0) return { path: ['matches', at], message: 'does not hold what `pattern` matches' };
    if (length > longest)
      return { path: ['longest'], message: `is less than the ${length} that it matches in \`matches\`` };
  }
  const at = ignores.findIndex((text) => lengthIn(text) > 0);
  return at < 0 ? null : { path: ['ignores', at], message: 'holds what `pattern` matches' };
}
