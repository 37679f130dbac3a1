import type { z } from 'zod';
import { isListed, isSpelled } from './names.ts';
import type { selectorFields } from './schema.ts';

/** What chooses requests by their agent and head. */
export type Selector = z.infer<z.ZodObject<typeof selectorFields>>;

/** What a selector asks of a request. */
export interface Selectable {
  agent: string;
  labels: Readonly<Record<string, string>>;
  tag: string;
  provider: string;
}

/** Of a policy, or of a budget, which may name models too. */
type Match = Selector & { not?: Selector | undefined; models?: string[] | undefined };

/** Whether a request is one of those that a selector names. */
export function selects({ agents, labels, tags, providers }: Selector, facts: Selectable): boolean {
  const isOne = (patterns: readonly string[] | undefined, name: string) =>
    patterns === undefined || isListed(patterns, name);
  return (
    isOne(agents, facts.agent) &&
    isOne(tags, facts.tag) &&
    isOne(providers, facts.provider) &&
    Object.entries(labels ?? {}).every(
      ([label, values]) => Object.hasOwn(facts.labels, label) && isOne(values, facts.labels[label] as string),
    )
  );
}

const listAny = (names: readonly string[]) =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

function listParts({ agents, labels, tags, providers, models }: Match): string[] {
  return [
    ...(agents ? [`agent ${listAny(agents)}`] : []),
    ...Object.entries(labels ?? {}).map(([label, values]) => `${label} ${listAny(values)}`),
    ...(tags ? [`tag ${listAny(tags)}`] : []),
    ...(providers ? [`provider ${listAny(providers)}`] : []),
    ...(models ? [`model ${listAny(models)}`] : []),
  ];
}

/** Whose requests a policy or a budget is for: `team interns or research, tag pii; not agent nightly-*`. */
export function describeMatch({ not, ...match }: Match): string {
  const [all, none] = [listParts(match).join(', '), listParts(not ?? {}).join(', ')];
  return `${all || 'every request'}${none && `; not ${none}`}`;
}

/** Whether a policy may hold for requests of an agent: for some of them, if it also asks for tags or providers. @param labels of the agent */
export function mayHold({ not, ...match }: Match, agent: string, labels: Readonly<Record<string, string>>): boolean {
  const fits = ({ agents, labels: wanted = {} }: Match) =>
    (agents === undefined || isListed(agents, agent)) &&
    Object.entries(wanted).every(
      ([label, values]) => Object.hasOwn(labels, label) && isListed(values, labels[label] as string),
    );
  return fits(match) && !(not && !not.tags && !not.providers && fits(not) && isSpelled(not.agents, agent));
}
