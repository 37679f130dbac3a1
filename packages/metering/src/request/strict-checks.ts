import { type CostRule, toSnakeCase } from '../cost-fields/index.ts';
import { asArray, asName, asObject, asText } from '../json/members.ts';
import { findUnsized } from './find-unsized.ts';
import { notBounded } from './not-bounded.ts';
import { readAmount } from './read-amount.ts';
import { namesBudget, readThinking } from './read-demand.ts';
import type { BodyMember } from './read-members.ts';
import { readTools } from './read-tools.ts';
import type { StrictDemand } from './strict-demand.ts';
import { foldTier } from './tier.ts';

const commonSizes = new Set(['auto', '256x256', '512x512', '1024x1024', '1536x1024', '1024x1536']);
const pictureFormats = new Set(['png', 'jpeg', 'webp']);

/** Models that search before they answer, or work for hours, without being asked to. */
const searching = /:online|search|sonar|deep-research|\bcompound\b/i;

function checkAmount(key: string, value: unknown): void {
  if (readAmount(value)?.isWhole === false) throw notBounded(key, 'must be a whole number from 0 on');
}

type Check = (demand: StrictDemand, member: BodyMember) => void;

/**
 * Adds each kind of member to the most that a request may ask for; kinds that are not here add their bytes alone.
 * They throw ApiError `cost_not_bounded`.
 */
export const strictChecks: Partial<Record<CostRule, Check>> = {
  bound: (_demand, { key, value }) => checkAmount(key, value),
  answers: (_demand, { key, value }) => checkAmount(key, value),
  thinking(demand, member) {
    const { key, value } = member;
    if (typeof value !== 'object' && !isModeOfThinking(value)) checkAmount(key, value);
    for (const inner of member.members()) {
      // Gemini takes -1 for what it thinks best.
      if (namesBudget(inner.key) && inner.value !== -1) checkAmount(`${key}.${inner.key}`, inner.value);
    }
    demand.moreOutputTokens += readThinking(member);
  },
  content(demand, { value }) {
    if (findUnsized(value)) demand.unsizedInputs = Math.max(1, demand.unsizedInputs);
  },
  items(demand, { value }) {
    demand.unsizedInputs += [value]
      .flat()
      .filter((item) => findUnsized(Array.isArray(item) ? item : toParts(item))).length;
  },
  prompts(_demand, { key, value }) {
    const kinds = new Set([value].flat(2).map((part) => typeof part));
    if (kinds.size > 1 || !(kinds.has('string') || kinds.has('number') || kinds.size === 0)) {
      throw notBounded(key, 'must be text, or ids of tokens');
    }
  },
  spoken(demand, { key, value }) {
    if (typeof value !== 'string') throw notBounded(key, 'must be text');
    demand.spokenBytes = demand.inputBytes;
  },
  media(demand) {
    demand.unsizedInputs = 1;
  },
  reference(demand, { value }) {
    if (value !== null) demand.unsizedInputs = Math.max(1, demand.unsizedInputs);
  },
  prediction(demand) {
    demand.moreOutputTokens += demand.inputBytes;
  },
  model(_demand, { key, value }) {
    if (asText(value) === null) throw notBounded(key, 'must be text');
    if (searching.test(asName(value))) throw notBounded(key, 'is one that searches on its own');
  },
  models(_demand, { key, value }) {
    if (value !== null && !(Array.isArray(value) && value.every((name) => asText(name) && !searching.test(name)))) {
      throw notBounded(key, 'must be a list of models that do not search on their own');
    }
  },
  tier(demand, { key, value }) {
    if (value === null) return;
    if (typeof value !== 'string') throw notBounded(key, 'must be text');
    demand.tier = foldTier(value) ?? demand.tier;
  },
  speed(demand, { key, value }) {
    if (value === null || value === 'standard') return;
    if (value !== 'fast') throw notBounded(key, 'must be standard or fast');
    demand.isFast = true;
    demand.tier = 'fast';
  },
  region(_demand, { key, value }) {
    if (value !== null && value !== 'global') throw notBounded(key, 'costs more, by an unknown amount');
  },
  modalities(demand, { value }) {
    // No API documents that a bound on tokens holds for sound and pictures.
    if (asArray(value).some((kind) => asName(kind).toLowerCase() !== 'text')) demand.outputTokens = null;
  },
  'picture-size'(demand, { value }) {
    demand.isPictureCommon = value === null || commonSizes.has(asName(value));
  },
  'picture-format'(_demand, { key, value }) {
    if (value !== null && !pictureFormats.has(asName(value))) throw notBounded(key, 'may be drawn by a second model');
  },
  tools(demand, { value }) {
    const { described, uses } = readTools(value);
    demand.describedTools += described;
    demand.webSearches = uses;
  },
  clearing(_demand, { key, value }) {
    const edits = asArray(asObject(value).edits ?? value);
    const isClear = edits.every((edit) => /^clear_/.test(asName(asObject(edit).type)));
    if (value !== null && !isClear) throw notBounded(key, 'may have the model run once more');
  },
};

const isModeOfThinking = (value: unknown) =>
  value === null || typeof value === 'boolean' || /^[a-z]+$/.test(asName(value));

/** Gemini's requests of embeddings are objects with the content within. */
function toParts(item: unknown): unknown {
  const { content, ...rest } = asObject(item);
  const known = ['model', 'task_type', 'title', 'output_dimensionality'];
  return Object.keys(rest).every((key) => known.includes(toSnakeCase(key))) && content !== undefined ? content : item;
}
