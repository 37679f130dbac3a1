import type { Operation } from '../providers/index.ts';
import { anthropicFields } from './anthropic-fields.ts';
import type { CostFields } from './cost-fields.ts';
import { geminiFields } from './gemini-fields.ts';
import { openaiFields } from './openai-fields.ts';

export * from './cost-fields.ts';

const byApi = { openai: openaiFields, anthropic: anthropicFields, gemini: geminiFields };

/** What the requests of an operation may hold; null where they cost nothing, or we know none of their members. */
export function findCostFields({ api, name }: Operation): CostFields | null {
  const known = byApi[api];
  return Object.hasOwn(known, name) ? (known[name] ?? null) : null;
}
