// What stands in each screen's address. Filters have the names that the API gives them, which the compiler checks.

import { severities } from '@agp/alerts';
import { billedProviders } from '@agp/core/contracts';
import { decisionActions } from '@agp/core/events';
import type { paths } from '../api/schema.d.ts';
import {
  alertStates,
  type Reader,
  readChoice,
  readFlag,
  readPageNumber,
  readSearch,
  readText,
  readTime,
  type Window,
  windows,
} from './search.ts';

type Member = {
  [Path in keyof paths]: paths[Path] extends { get: { parameters: { query?: infer Query } } }
    ? string & keyof NonNullable<Query>
    : never;
}[keyof paths];

/** What a member may be, if it is not any text. */
const readers = {
  from: readTime,
  to: readTime,
  failed: readFlag,
  status: readChoice(['active', 'blocked', 'retired']),
  order: readChoice(['cost', 'seen', 'name', 'created']),
  decision: readChoice(decisionActions),
  outcome: readChoice(['completed', 'failed', 'aborted', 'killed']),
};

type ReaderOf<Name> = Name extends keyof typeof readers ? (typeof readers)[Name] : Reader<string>;

/** @param own what the screen alone has */
const search = <const Name extends Member, Own extends Record<string, Reader<unknown>> = Record<never, never>>(
  names: readonly Name[],
  own?: Own,
) => {
  const known: Partial<Record<string, Reader<unknown>>> = readers;
  const ofNames = Object.fromEntries(names.map((name) => [name, known[name] ?? readText]));
  return readSearch({ ...ofNames, ...own } as { [Each in Name]: ReaderOf<Each> } & Own);
};

const page = { page: readPageNumber };
const window = readChoice(Object.keys(windows) as Window[]);
/** The hours that somebody dragged over in a chart. */
const zoom = { zoom_from: readTime, zoom_to: readTime };

export const costGroups = ['model', 'agent', 'provider', 'tag'] as const;
export type CostGroup = (typeof costGroups)[number] | `label:${string}`;

const mostGroups = 2;
const isGroup = (name: string): name is CostGroup =>
  (costGroups as readonly string[]).includes(name) || /^label:[A-Za-z0-9]/.test(name);

/** One or two groups as they stand in an address, `tag,model`; by model for anything else. */
export function listGroups(by: string | undefined): CostGroup[] {
  const names = by?.split(',', mostGroups + 1) ?? [];
  const isKnown = names.every(isGroup) && new Set(names).size === names.length;
  return isKnown && names.length > 0 && names.length <= mostGroups ? (names as CostGroup[]) : ['model'];
}

const readGroups: Reader<string> = (raw) => {
  const by = readText(raw);
  return by === undefined ? undefined : listGroups(by).join(',');
};

const readMonth: Reader<string> = (raw) => {
  const month = readText(raw);
  return month && /^20\d\d-(?:0[1-9]|1[0-2])$/.test(month) ? month : undefined;
};

/** By the screens' paths; those of others are empty. */
export const searches = {
  '/': search([], {
    from: window,
    by: readChoice(['agent', 'model', 'provider']),
    order: readChoice(['cost', 'failed']),
    ...zoom,
  }),
  '/alerts': search(['rule', 'agent_id', 'from', 'to'], {
    severity: readChoice(severities),
    state: readChoice(alertStates),
    ...page,
  }),
  '/alerts/rules': search([], { view: readChoice(['rules', 'targets', 'dead']) }),
  '/live': search(['agent_id', 'session_id', 'failed'], { text: readText, pii: readFlag }),
  '/events': search([
    ...(['agent_id', 'session_id', 'model', 'provider', 'compliance_tag', 'label', 'pii_type', 'request_id'] as const),
    ...(['policy', 'rule', 'decision', 'outcome', 'failed', 'from', 'to', 'cursor'] as const),
  ]),
  '/refusals': search([
    ...(['agent_id', 'provider', 'reason', 'policy', 'rule', 'request_id', 'from', 'to', 'cursor'] as const),
  ]),
  '/find': search([], { id: readText }),
  '/sessions': search(['agent_id', 'name', 'label', 'failed', 'from', 'to', 'cursor']),
  '/providers': search(['provider', 'model'], { from: window, ...zoom }),
  '/agents/$agentId': search([], zoom),
  '/agents': search(['search', 'label', 'status', 'order'], page),
  '/budgets': search(['search', 'label'], { all: readFlag, ...page }),
  '/costs': search(['search', 'from', 'to', 'agent_id'], {
    view: readChoice(['usage', 'invoice', 'prices', 'unpriced', 'doubtful', 'unrecorded']),
    by: readGroups,
    month: readMonth,
    provider: readChoice(billedProviders),
  }),
  '/audit': search(['agent_id', 'actor', 'policy_id', 'action', 'from', 'to'], page),
  '/keys': search([], { view: readChoice(['keys', 'tokens', 'names']) }),
};

type SearchOf<Path extends keyof typeof searches> = ReturnType<(typeof searches)[Path]>;
export type CostsSearch = SearchOf<'/costs'>;
export type EventsSearch = SearchOf<'/events'>;
export type LiveSearch = SearchOf<'/live'>;
