import { operationNames } from '@agp/core/operations';
import { tellSome } from './contradictions.ts';
import { findFrom, fold } from './names.ts';
import type { Policy } from './schema.ts';

const foldedNames = operationNames.map(fold).sort();

/** Whether a pattern is of one of some sorted names at least. */
function isOfOne(pattern: string, names: readonly string[]): boolean {
  const wanted = fold(pattern);
  const found = names[findFrom(names, wanted.replace(/\*$/, ''))];
  return wanted.endsWith('*') ? found?.startsWith(wanted.slice(0, -1)) === true : found === wanted;
}

/** What policies say that can hold for no request, in words; a policy a step. @param providers ids of all that there are */
export function* findWarnings(
  policies: readonly Policy[],
  providers: readonly string[],
  now: Date,
): Generator<undefined, string[]> {
  const known = providers.map(fold).sort();
  const told: string[] = [];
  for (const { name, until, match, ...policy } of policies) {
    if (until !== undefined && Date.parse(until) <= now.getTime())
      told.push(`${name}: it ended ${until}, so it decides nothing`);
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
