import type { Operation } from '../dialects/operation.ts';
import { anthropicFields } from './anthropic-fields.ts';
import type { CostFields } from './cost-fields.ts';
import { geminiFields } from './gemini-fields.ts';
import { openaiFields } from './openai-fields.ts';

export * from './cost-fields.ts';

const byApi = { openai: openaiFields, anthropic: anthropicFields, gemini: geminiFields };

/** Null where requests of the operation cost nothing, or none of their members is known. */
export function findCostFields({ api, name }: Operation): CostFields | null {
  const known = byApi[api];
  return Object.hasOwn(known, name) ? (known[name] ?? null) : null;
}
