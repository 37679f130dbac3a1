import { operationNames } from '@agp/core/operations';
import { tellSome } from './contradictions.ts';
import { describeMatch } from './describe-match.ts';
import { findFrom, fold } from './names.ts';
import { excepts, listNamed, listRules } from './rules.ts';
import type { Policy } from './schema.ts';

const foldedNames = operationNames.map(fold).sort();

/** Names of agents by which a policy chooses. */
export const listAgents = ({ match, exceptions = [] }: Policy): string[] =>
  [match, match.not ?? {}, ...exceptions.map((each) => each.match)].flatMap(({ agents = [] }) => agents);

const listSome = (names: readonly string[]) => `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' ...' : ''}`;

function listExceptionFaults(policy: Policy, hasEnded: (until: string) => boolean): string[] {
  const own = listRules(policy);
  return (policy.exceptions ?? []).flatMap(({ match, rules = [], until }) => {
    const about = `the exception for ${describeMatch(match)}`;
    const unknown = rules.filter((rule) => !own.some((each) => excepts({ rules: [rule] }, each)));
    return [
      ...(hasEnded(until) ? [`${about} ended ${until}, so it lets nothing pass`] : []),
      ...unknown.map((rule) => `${about} names ${rule}, which is no rule of this policy`),
    ];
  });
}

/** Whether a pattern is of one of some sorted names at least. */
function isOfOne(pattern: string, names: readonly string[]): boolean {
  const wanted = fold(pattern);
  const found = names[findFrom(names, wanted.replace(/\*$/, ''))];
  return wanted.endsWith('*') ? found?.startsWith(wanted.slice(0, -1)) === true : found === wanted;
}

/** What there is beside the policies. */
interface Known {
  /** Ids of all. */
  providers: readonly string[];
  now: Date;
  /** Whether anybody may take a name. */
  isOpen(agent: string): boolean;
}

/** What policies say that can hold for no request, change nothing, or be left by another name, in words; a policy a step. */
export function* findWarnings(
  policies: readonly Policy[],
  { providers, now, isOpen }: Known,
): Generator<undefined, string[]> {
  const known = providers.map(fold).sort();
  const hasEnded = (until: string) => Date.parse(until) <= now.getTime();
  const told: string[] = [];
  for (const whole of policies) {
    const { name, until, match, ...policy } = whole;
    if (until !== undefined && hasEnded(until)) told.push(`${name}: it ended ${until}, so it decides nothing`);
    const idle = listNamed(whole).filter(([, { allow, deny }]) => allow?.includes('*') && deny === undefined);
    const but = (rule: string) =>
      policy.unreadable === 'refuse' && /^(models|tools)/.test(rule) ? ', but refuses what cannot be read' : '';
    told.push(...idle.map(([rule]) => `${name}: ${rule} allows everything, so it can change nothing${but(rule)}`));
    told.push(...listExceptionFaults(whole, hasEnded).map((each) => `${name}: ${each}`));
    const open = listAgents(whole).filter(isOpen);
    if (open.length > 0)
      told.push(
        `${name}: it goes by agents' names (${listSome(open)}), which under AGENT_IDENTITY=open anybody may take or leave: give out agent tokens, or use labels`,
      );
    const [matched, excluded] = [match.providers ?? [], match.not?.providers ?? []];
    const listed = [policy.providers, policy.operations].map((lists) => [
      ...(lists?.allow ?? []),
      ...(lists?.deny ?? []),
    ]);
    const unknown = [...matched, ...excluded, ...(listed[0] ?? [])].filter((each) => !isOfOne(each, known));
    told.push(...unknown.map((each) => `${name}: no provider is named ${each}`));
    const misspelt = (listed[1] ?? []).filter((each) => !isOfOne(each, foldedNames));
    told.push(...misspelt.map((each) => `${name}: no operation is named ${each}`));
    yield;
  }
  return tellSome(told);
}
