import { z } from 'zod';
import { forwardFault, isForward, timeRange, timestampSchema } from './timestamp.ts';

/** Providers whose bill can be read. */
export const billedProviders = ['openai', 'anthropic'] as const;
export type BilledProvider = (typeof billedProviders)[number];

/** Days that a bill has, up to the day before it is read: those of the last weeks change still. */
export const billedDays = 35;

/** Why what was billed is not what is recorded, in the order in which causes explain a gap. */
export const gapCauses = ['unrecorded', 'doubtful', 'other_day', 'unpriced', 'beside'] as const;
export type GapCause = (typeof gapCauses)[number];

export const reconciliationQuerySchema = z
  .object({
    ...timeRange('days that begin', 'at'),
    provider: z.enum(billedProviders).optional().meta({ description: 'Only of its bill' }),
  })
  .refine(isForward, forwardFault);

const cause = (description: string) => z.number().meta({ description });

const causes = {
  unrecorded_usd: cause('Calls that `GET /api/v1/costs/unrecorded` lists'),
  doubtful_usd: cause('Calls that `GET /api/v1/costs/doubtful` lists'),
  other_day_usd: cause('Work that was recorded on another day'),
  unpriced_usd: cause('The rest of a model without a price'),
  beside_usd: cause(
    'What nothing explains. Above 0 it did not pass here; below 0 less was billed, such as by a discount',
  ),
} satisfies Record<`${GapCause}_usd`, z.ZodNumber>;

export const reconciledRowSchema = z
  .strictObject({
    day: z.iso.date(),
    provider: z.enum(billedProviders),
    model: z.string().meta({ description: 'Without the day of its version; or what else was billed' }),
    recorded_usd: z.number().min(0).meta({ description: 'When the bill was read' }),
    billed_usd: z.number().meta({ description: 'Below 0 for credits' }),
    gap_usd: z.number().meta({ description: '`billed_usd` less `recorded_usd`: the sum of the causes' }),
    ...causes,
  })
  .meta({ id: 'ReconciledRow', description: 'What was billed and what was recorded of one model on one UTC day' });

const billSchema = z
  .strictObject({
    provider: z.enum(billedProviders),
    setting: z.string().meta({ description: 'The setting of management with the key', example: 'BILLING_OPENAI_KEY' }),
    is_set: z.boolean().meta({ description: 'Without it nothing is read' }),
    read_at: timestampSchema.nullable().meta({ description: 'When the bill was read last; null if it never was' }),
    tried_at: timestampSchema.nullable(),
    error: z.string().nullable().meta({ description: 'Why it could not be read the last time; null if it could' }),
  })
  .meta({ id: 'ReadBill' });

export const reconciliationSchema = z
  .strictObject({
    from: timestampSchema.nullable(),
    to: timestampSchema.nullable(),
    time_zone: z.literal('UTC').meta({ description: 'Of days' }),
    bills: z.array(billSchema),
    rows: z.array(reconciledRowSchema),
  })
  .meta({ id: 'CostReconciliation', description: 'What providers billed beside what is recorded' });

export type ReconciledRow = z.infer<typeof reconciledRowSchema>;
export type ReadBill = z.infer<typeof billSchema>;
