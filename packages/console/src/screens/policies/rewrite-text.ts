import type { Policy, StoredPolicy } from '@agp/policy';
import { withoutSigns } from '@agp/policy/schema';
import { changeText, readPolicy, writePolicy } from '@agp/policy/yaml';

/** A stored policy as it was written, or would be. */
export const textOf = ({ text, policy }: Pick<StoredPolicy, 'text' | 'policy'>): string =>
  text ?? writePolicy(withoutSigns(policy));

/** A text that says another policy: its comments stay, but for those inside members that differ. */
export function rewriteText(text: string, to: Policy): string {
  const [before, after] = [readPolicy(text).policy, withoutSigns(to)] as Record<string, unknown>[];
  const members = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]) as Set<keyof Policy>;
  return [...members]
    .filter((member) => JSON.stringify(before?.[member]) !== JSON.stringify(after?.[member]))
    .reduce((said, member) => changeText(said, [member], after?.[member]), text);
}
