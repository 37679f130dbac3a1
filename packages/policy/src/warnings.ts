import { operationNames } from '@agp/core/operations';
import { describeMatch, findFrom, fold } from '@agp/documents';
import { tellSome } from './contradictions.ts';
import { listPolicyNames } from './policy-names.ts';
import { excepts, listNamed, listRules } from './rules.ts';
import type { Policy } from './schema.ts';

const foldedNames = operationNames.map(fold).sort();

const listSome = (names: readonly string[]) => `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' ...' : ''}`;

/** Whether a pattern is of one of some sorted names at least. */
function isOfOne(pattern: string, names: readonly string[]): boolean {
  const wanted = fold(pattern);
  const found = names[findFrom(names, wanted.replace(/\*$/, ''))];
  return wanted.endsWith('*') ? found?.startsWith(wanted.slice(0, -1)) === true : found === wanted;
}

/**
 * What policies say that can hold for no request, change nothing, or be left by another name, in words; a policy a step.
 * @param known ids of all providers, and whether anybody may take names of agents that are not claimed
 */
export function* findWarnings(
  policies: readonly Policy[],
  known: { providers: readonly string[]; isOpen: boolean; claimed: readonly string[]; now: Date },
): Generator<undefined, string[]> {
  const providers = known.providers.map(fold).sort();
  const claimed = new Set(known.claimed);
  const hasEnded = (until: string | undefined) => Date.parse(until ?? '') <= known.now.getTime();
  const told: string[] = [];
  for (const policy of policies) {
    const { name, until, exceptions = [], unreadable } = policy;
    const tell = (...words: string[]) => told.push(...words.map((each) => `${name}: ${each}`));
    if (hasEnded(until)) tell(`it ended ${until}, so it decides nothing`);
    for (const [rule, { allow, deny }] of listNamed(policy)) {
      if (!allow?.includes('*') || deny) continue;
      const reads = unreadable === 'refuse' && /^(models|tools)/.test(rule);
      tell(`${rule} allows everything, so it can change nothing${reads ? ', but refuses what cannot be read' : ''}`);
    }
    for (const { match, rules = [], until: end } of exceptions) {
      const about = `the exception for ${describeMatch(match)}`;
      if (hasEnded(end)) tell(`${about} ended ${end}, so it lets nothing pass`);
      const unknown = rules.filter((rule) => !listRules(policy).some((own) => excepts({ rules: [rule] }, own)));
      tell(...unknown.map((rule) => `${about} names ${rule}, which is no rule of this policy`));
    }
    const named = Map.groupBy(listPolicyNames(policy), ({ kind }) => kind);
    const list = (kind: 'agents' | 'providers' | 'operations') => [
      ...new Set((named.get(kind) ?? []).map((each) => each.name)),
    ];
    // Who has a claimed name may still call itself something else.
    const left = list('agents').filter((agent) => !claimed.has(agent) || policy.match.agents?.includes(agent));
    if (known.isOpen && left.length > 0)
      tell(
        `it goes by agents' names (${listSome(left)}), which under AGENT_IDENTITY=open anybody may take or leave: give out agent tokens, or use labels`,
      );
    const tags = [policy.match.not ?? {}, ...exceptions.map(({ match }) => match)].flatMap((each) => each.tags ?? []);
    if (tags.length > 0)
      tell(`it lets pass by tags (${listSome(tags)}), which a request may set itself if its agent has none`);
    const unknown = list('providers').filter((each) => !isOfOne(each, providers));
    const misspelt = list('operations').filter((each) => !isOfOne(each, foldedNames));
    tell(...unknown.map((each) => `no provider is named ${each}`));
    tell(...misspelt.map((each) => `no operation is named ${each}`));
    yield;
  }
  return tellSome(told);
}
