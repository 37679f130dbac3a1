import type { Policy } from './schema.ts';

type Match = Policy['match'];

const listAny = (names: readonly string[]) =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

function listParts({ agents, labels, tags, providers }: Match): string[] {
  return [
    ...(agents ? [`agent ${listAny(agents)}`] : []),
    ...Object.entries(labels ?? {}).map(([label, values]) => `${label} ${listAny(values)}`),
    ...(tags ? [`tag ${listAny(tags)}`] : []),
    ...(providers ? [`provider ${listAny(providers)}`] : []),
  ];
}

/** Whose requests a policy is for: `team interns or research, tag pii; not agent nightly-*`. */
export function describeMatch({ not, ...match }: Match): string {
  const [all, none] = [listParts(match).join(', '), listParts(not ?? {}).join(', ')];
  return `${all || 'every request'}${none && `; not ${none}`}`;
}
