import { isDeepStrictEqual } from 'node:util';
import { type Policy, type PolicyException, policySchema } from '@agp/policy';
import type { Caller } from './keys.ts';
import { found, parseInput } from './requests.ts';

const withoutSign = ({ by: _by, at: _at, ...exception }: PolicyException) => exception;

/**
 * A policy whose exceptions say who made them, and when; those alike in the stored one keep what they say.
 * @throws ApiError `invalid_parameter` if that makes it too long
 */
export function signExceptions(
  { body, caller }: { body: Policy; caller: Caller | undefined },
  stored: readonly PolicyException[] = [],
): Policy {
  if (body.exceptions === undefined) return body;
  const sign = { by: found(caller, 'internal').actor.name, at: new Date().toISOString() };
  const exceptions = body.exceptions.map((given) => {
    const exception = withoutSign(given);
    return stored.find((each) => isDeepStrictEqual(withoutSign(each), exception)) ?? { ...exception, ...sign };
  });
  return parseInput(policySchema, { ...body, exceptions }, 'body');
}
