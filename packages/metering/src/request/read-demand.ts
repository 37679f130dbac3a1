import { maxTokens } from '@agp/catalogue';
import {
  findRule,
  findSettings,
  foldName,
  type MemberRules,
  type RequestBounds,
  rivalRules,
} from '../dialects/bounds.ts';
import { listToolModels } from '../dialects/named-tools.ts';
import { foldTier } from '../dialects/tier.ts';
import { asArray, asObject, asText } from '../json/members.ts';
import type { BodyMember } from '../json/scan.ts';

/** How much a request asks for; of several readings, the most. */
export interface Demand {
  models: readonly string[];
  /** The bound on one answer, in tokens; null if it gives none that the API enforces. */
  maxOutputTokens: number | null;
  /** The largest that another member than the operation's own bounds asks for, in tokens; 0 without one. */
  otherOutputTokens: number;
  /** The largest number that some server might take for a bound or for a thinking budget, in tokens. */
  leastOutputTokens: number;
  answers: number;
  /** Tiers that cost more than the standard one. */
  tiers: readonly string[];
  /** Each item of some members is an input of its own. */
  hasItems: boolean;
  /** It names something stored at the provider. */
  hasReference: boolean;
}

interface Amount {
  value: number;
  isWhole: boolean;
}

/** The number that a lenient server might make of it; 0 if none. */
function coerce(value: unknown): number {
  if (Array.isArray(value) && value.length === 1) return typeof value[0] === 'object' ? 0 : coerce(value[0]);
  const number = typeof value === 'number' || typeof value === 'string' || value === true ? Number(value) : Number.NaN;
  return number > 0 ? Math.min(Math.ceil(number), maxTokens) : 0;
}

export function readAmount(value: unknown): Amount | null {
  if (value === undefined || value === null) return null;
  const isWhole = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxTokens;
  return { value: isWhole ? (value as number) : coerce(value), isWhole };
}

function countPrompts(prompt: unknown): number {
  const list = asArray(prompt);
  return typeof list[0] === 'number' ? 1 : Math.max(1, list.length);
}

/** Thinking settings may have the budget as the value itself, or in members of that name. */
export function listBudgets(member: BodyMember): { key: string; value: unknown }[] {
  if (typeof member.value !== 'object' || member.value === null || Array.isArray(member.value)) return [member];
  const inner = member.members().filter(({ key }) => /budget|tokens$/.test(foldName(key)));
  return inner.map(({ key, value }) => ({ key: `${member.key}.${key}`, value }));
}

const maxDepth = 3;

/** Models that may answer in place of the first, or that a tool runs: `["b"]`, `[{ "a": ["b"] }]`, and members of tools. */
function listOtherModels(rule: unknown, value: unknown): (string | null)[] {
  if (rule !== 'calls' && rule !== 'tools') return [];
  return (rule === 'calls' ? asArray(value) : [value].flat()).flatMap((other) => {
    if (typeof other === 'string') return rule === 'calls' ? [other] : [];
    const own = asObject(other);
    const mapped = rule === 'calls' && own.model === undefined ? Object.values(own).flat().map(asText) : [];
    return [...mapped, ...listToolModels(own)];
  });
}

/** No price is of so many. */
const maxTiers = 20;

/** Calls that may be made beside or instead: those of `fallbacks`, and tools that are models. */
function listOthers(rule: unknown, { value }: BodyMember): BodyMember[] {
  if (rule !== 'calls' && rule !== 'tools') return [];
  const others = asArray(value)
    .map(asObject)
    .filter(({ model }) => asText(model) !== null);
  return others.flatMap((other) =>
    Object.entries(other).map(([key, each]) => ({ key, value: each, members: () => [] })),
  );
}

/**
 * Takes the largest of everything that bounds or multiplies output, also of repeated members and other spellings. A bound of 0
 * or no whole number counts as none, but what a lenient server makes of it raises the result.
 */
export function readDemand(members: readonly BodyMember[], bounds: RequestBounds, baseUrl: URL): Demand {
  const models = new Set<string>();
  const tiers = new Set<string>();
  let bound: number | null = null;
  let isDoubtful = false;
  let least = 0;
  let others = 0;
  let answers = 1;
  let prompts = 1;
  let hasItems = false;
  let hasReference = false;
  const visit = (some: readonly BodyMember[], rules: MemberRules, depth: number, isOther = false) => {
    for (const member of some) {
      const { key, value } = member;
      const own = findRule(rules, key, bounds.isEitherCase);
      // A name that the operation knows has no other meaning.
      const rule = own ?? rivalRules.get(foldName(key));
      if (rule === 'bound') {
        const amount = readAmount(value);
        least = Math.max(least, amount?.value ?? 0);
        const isEnforced = own !== null && !isOther && bounds.knows?.(key, baseUrl) !== false;
        if (!isEnforced) others = Math.max(others, amount?.value ?? 0);
        if (!isEnforced || amount === null) continue;
        if (amount.isWhole && amount.value > 0) bound = Math.max(bound ?? 0, amount.value);
        else isDoubtful = true;
      } else if (rule === 'answers') answers = Math.max(answers, readAmount(value)?.value ?? 1);
      else if (rule === 'items') hasItems = true;
      else if (rule === 'reference') hasReference ||= value !== null && value !== '';
      else if (rule === 'prompts') prompts = Math.max(prompts, countPrompts(value));
      else if (rule === 'thinking') {
        others = Math.max(others, ...listBudgets(member).map((budget) => readAmount(budget.value)?.value ?? 0));
        least = Math.max(least, others);
      } else if (rule === 'settings' && depth < maxDepth) {
        visit(member.members(), own === null ? {} : findSettings(bounds, key), depth + 1);
      } else if (rule === 'model' && asText(value)) models.add(asText(value) ?? '');
      else if (rule === 'tier' || rule === 'geo') {
        if (tiers.size < maxTiers) tiers.add(foldTier(value, rule) ?? '');
      } else if (rule === 'models') for (const name of asArray(value)) models.add(asText(name) ?? '');
      if (!isOther) visit(listOthers(rule, member), rules, maxDepth, true);
      for (const name of listOtherModels(rule, value)) if (name !== null) models.add(name);
    }
  };
  visit(members, bounds.members, 0);
  return {
    models: [...models].filter(Boolean),
    maxOutputTokens: bound === null || isDoubtful ? null : Math.max(bound, least),
    leastOutputTokens: least,
    otherOutputTokens: others,
    answers: Math.min(answers * prompts, maxTokens),
    tiers: [...tiers].filter(Boolean),
    hasItems,
    hasReference,
  };
}
