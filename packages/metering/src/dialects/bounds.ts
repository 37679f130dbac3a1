import type { JsonObject } from '../json/members.ts';
import type { MediaRules } from './media.ts';

/**
 * What a member may cost. `free`: a token of input a byte; `content`: the same, unless a part names something outside, as large as
 * the model reads; `items`: content, each an input of its own; `reference`: something outside; `bound`: of output, enforced;
 * `thinking`: output in addition; `prompts`: texts answered one by one; `geo`: where it is served; `calls`: settings of calls that may be made instead. A
 * function: free if the value passes, else refused.
 */
type MemberRule =
  | 'free'
  | 'content'
  | 'items'
  | 'reference'
  | 'bound'
  | 'thinking'
  | 'answers'
  | 'prompts'
  | 'settings'
  | 'model'
  | 'models'
  | 'tier'
  | 'geo'
  | 'tools'
  | 'calls'
  | ((value: unknown) => boolean);

/** Rules by names in snake_case; any other member may cost anything. */
export type MemberRules = Readonly<Record<string, MemberRule>>;

export interface RequestBounds {
  members: MemberRules;
  settings?: MemberRules;
  /** The rules of settings that differ between the members that hold them. */
  settingsOf?: Readonly<Record<string, MemberRules>>;
  writes: 'text' | 'speech' | 'pictures' | 'nothing';
  isEitherCase?: boolean;
  /** False of a bound that only some servers know, and this one may not; absent if all are known. */
  knows?(bound: string, baseUrl: URL): boolean;
  /** What its pictures, pages and seconds cost. */
  media?: MediaRules;
  /** The path of the member that bounds one answer, for a request that gives none; absent if the API has none. */
  outputBound?(baseUrl: URL): readonly string[];
  /** Who runs a tool: the agent alone, or the agent by a description that the provider adds; null for the provider. */
  readTool?(tool: JsonObject): 'own' | 'described' | null;
}

type RuleName = Extract<MemberRule, string>;

/** @param names of the members, separated by spaces @param others lists to include */
export function listMembers(names: Partial<Record<RuleName, string>>, ...others: readonly MemberRules[]): MemberRules {
  const own = Object.entries(names).flatMap(([rule, list]) =>
    list.split(/\s+/).map((name) => [name, rule as RuleName] as const),
  );
  return Object.assign({}, ...others, Object.fromEntries(own));
}

export const oneOf =
  (...words: string[]): MemberRule =>
  (value) =>
    value === null || (typeof value === 'string' && words.includes(value));

export const listOf =
  (...words: string[]): MemberRule =>
  (value) =>
    value === null ||
    (Array.isArray(value) && value.every((word) => typeof word === 'string' && words.includes(word.toLowerCase())));

/** Names by which some server bounds or multiplies output: unless the API enforces one, it can only raise the bound. */
const rivals: MemberRules = listMembers({
  bound: `max_tokens max_completion_tokens max_output_tokens max_new_tokens max_gen_len max_length max_tokens_to_sample
    max_generated_tokens max_decoded_tokens min_tokens min_new_tokens min_length num_predict n_predict output_tokens`,
  answers: `n best_of candidate_count num_candidates num_images n_images number_of_images num_outputs
    num_return_sequences num_generations num_completions num_samples sample_count batch_size`,
  thinking: 'thinking reasoning thinking_config thinking_budget budget_tokens reasoning_budget',
  model: 'model',
  models: 'models',
  calls: 'fallbacks',
  tools: 'plugins compound_custom',
  settings: 'generation_config parameters options extra_body inference_config sampling_params config',
});

/** No table knows a longer one, and a member's name may be as long as a body. */
export const longestName = 1_024;

/** A name as lenient servers compare it: without case, and in snake_case or camelCase alike. */
export function foldName(name: string): string {
  if (name.length > longestName) return name;
  // Upper case first: it turns the long s and the Kelvin sign into plain letters.
  return name.toUpperCase().toLowerCase().replace(/[_-]/g, '');
}

/** By their folded names. */
export const rivalRules: ReadonlyMap<string, MemberRule> = new Map(
  Object.entries(rivals).map(([name, rule]) => [foldName(name), rule]),
);

export const toSnake = (name: string): string =>
  name.length > longestName ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const toCamel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The rules of a member that holds settings. */
export const findSettings = ({ settings, settingsOf }: RequestBounds, key: string): MemberRules =>
  settingsOf?.[key] ?? settings ?? {};

export function findRule(rules: MemberRules, key: string, isEitherCase = false): MemberRule | null {
  const name = isEitherCase ? toSnake(key) : key;
  return Object.hasOwn(rules, name) ? (rules[name] ?? null) : null;
}
