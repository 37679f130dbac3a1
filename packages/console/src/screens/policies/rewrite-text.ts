import { changeText, readText, rewriteText, writeText } from '@agp/documents/yaml';
import type { Policy, StoredPolicy } from '@agp/policy';
import { policySchema, withoutSigns } from '@agp/policy/schema';
import { readPolicy } from '@agp/policy/yaml';
import { z } from 'zod';

export type Path = readonly [string, ...string[]];

/** A stored policy as it was written, or would be. */
export const textOf = ({ text, policy }: Pick<StoredPolicy, 'text' | 'policy'>): string =>
  text ?? writeText(withoutSigns(policy));

/** A text that says another policy: its comments stay, but for those inside members that differ. */
export const rewritePolicy = (text: string, to: Policy): string => rewriteText(text, policySchema, withoutSigns(to));

/** What stands at a path of members; undefined if there is nothing. */
export const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inside, name) => (inside as Record<string, unknown> | undefined)?.[name], value);

/** A text that is a policy, and says something else at a path; or why it may not. @param value undefined takes it out; a function makes it of what is written there */
export function rewriteAt(text: string, path: Path, value: unknown): { text: string } | { fault: string } {
  const { policy } = readPolicy(text);
  if (policy === null) return { fault: 'Mend the text first' };
  if (typeof value === 'function')
    return rewriteAt(text, path, value(valueAt(readText(text, z.looseObject({}), 'policy').value, path)));
  if (value === undefined && valueAt(policy, path) === undefined) return { text };
  const around = path.slice(0, -1) as unknown as Path;
  // What says nothing without it, or something else, goes with it.
  const isLast = Object.keys(valueAt(policy, around) ?? {}).length === 1;
  if (value === undefined && path.length > 1 && isLast) return rewriteAt(text, around, undefined);
  try {
    const next = changeText(text, path, value);
    const [fault] = readPolicy(next).faults;
    if (fault === undefined) return { text: next };
    const isEmpty =
      value === undefined && path.length > 1 && /: must (?:hold|name|check) |: is missing/.test(fault.message);
    return isEmpty ? rewriteAt(text, around, undefined) : { fault: fault.message };
  } catch {
    return { fault: 'It stands in the text by an alias: change it there' };
  }
}
