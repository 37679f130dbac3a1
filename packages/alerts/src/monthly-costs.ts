import { usageGroups } from '@agp/core/contracts';
import { labelName } from '@agp/core/labels';
import { z } from 'zod';

const groups = Object.keys(usageGroups).filter((name) => name !== 'hour' && name !== 'day');

const isGroup = (text: string) =>
  groups.includes(text) || (text.startsWith('label:') && labelName.test(text.slice('label:'.length)));

/** A target of people may be told, on the first of each month, what the last one cost, by one group. */
export const reportFields = {
  monthly_costs_by: z
    .string()
    .max(256)
    .refine(isGroup, `must be ${groups.join(', ')} or label:NAME`)
    .optional()
    .meta({
      description: `On the first of each month it gets the costs of the last one, the ten largest by ${groups.map((name) => `\`${name}\``).join(', ')} or \`label:team\``,
      example: 'label:team',
    }),
};

/** What the calls of one UTC month cost, in USD. */
export interface MonthlyCosts {
  /** Such as `2026-10`. */
  month: string;
  /** As `monthly_costs_by`. */
  by: string;
  total_usd: number;
  request_count: number;
  /** The largest, at most ten; a value that is not there is null. */
  largest: { name: string | null; cost_usd: number }[];
}
