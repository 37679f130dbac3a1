import type { CheckedText } from '@agp/metering';
import { type Direction, findException, type HeadFacts, type Prepared } from '@agp/policy';
import type { Checked } from '../journey.ts';
import { type CheckedCall, type Checks, failCheck, tooLarge } from './checks.ts';

/** The policies among some whose check is asked: those from which no exception frees the call. */
export const listChecking = (policies: readonly Prepared[], head: HeadFacts, direction: Direction): Prepared[] =>
  policies.filter((each) => each.policy.check?.[direction] && findException(each, head, `check.${direction}`) === null);

/** Asks all of them at once. @param texts null for more than a check takes */
export async function askChecks(
  checks: Checks,
  policies: readonly Prepared[],
  call: CheckedCall,
  texts: readonly CheckedText[] | null,
): Promise<Checked> {
  const replies = await Promise.all(
    policies.map(async ({ policy }) => {
      return { policy, ...(await checks.ask(policy, call, texts)) };
    }),
  );
  const enforced = replies.filter(({ policy }) => policy.mode === 'enforce');
  return {
    verdicts: new Map(replies.map(({ policy, verdict }) => [policy.name, verdict])),
    replacements: enforced.flatMap(({ replacements }) => replacements),
    isBlocked: enforced.some(({ verdict }) => verdict.action === 'block'),
  };
}

/** Of an answer that is longer than may wait for enforced checks. */
export function failAll(policies: readonly Prepared[]): Checked {
  const verdicts = policies.flatMap(({ policy: { name, check } }) =>
    check === undefined ? [] : [[name, failCheck(check, tooLarge)] as const],
  );
  const isBlocked = verdicts.some(([, { action }]) => action === 'block');
  return { verdicts: new Map(verdicts), replacements: [], isBlocked };
}
