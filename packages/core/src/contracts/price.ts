import { z } from 'zod';
import { wholeListQuerySchema } from './query-parameters.ts';
import { timestampSchema } from './timestamp.ts';

const usd = z.number().min(0);
const tier = z.strictObject({ start: z.int().min(0), price: usd });

const modelPriceSchema = z
  .strictObject({
    provider: z.string().nullable().meta({ description: 'Null for an entry of `PRICES_FILE` without a provider' }),
    model: z.string().meta({ description: 'Or the beginning of several and `*`, as `PRICES_FILE` has it' }),
    prices: z.record(z.string(), z.union([usd, z.strictObject({ base: usd, tiers: z.array(tier) })])).meta({
      description:
        'USD by unit, in the words of `PRICES_FILE`: `_mtok` is a million tokens, `_mchars` a million characters, ' +
        '`_kcount` a thousand, `_hours` an hour; empty if no price is known',
      example: { input_mtok: 2.5, output_mtok: 10 },
    }),
    missing: z.array(z.string()).meta({
      description: 'Units without a price of the model that its vendor bills, or that calls of the last 30 days used',
    }),
    source: z.enum(['prices_file', 'library', 'supplement']).nullable(),
    price_version: z.string().nullable().meta({ description: 'As a call that uses all of these units is recorded' }),
    since: timestampSchema.nullable().meta({ description: 'Null if the source names no date' }),
    unpriced_at: timestampSchema.nullable().meta({
      description: 'The latest call of the last 30 days that was recorded without a price',
    }),
    add: z.string().nullable().meta({
      description: 'The entry to add to `PRICES_FILE`, with prices in place of its nulls; null if calls lacked none',
    }),
  })
  .meta({ id: 'ModelPrice', description: 'What a model of a provider costs now' });

export const modelPriceListSchema = z.array(modelPriceSchema);

export const priceListQuerySchema = wholeListQuerySchema.extend({
  provider: z.string().max(256).optional().meta({ description: 'Only prices of this provider' }),
  model: z.string().max(256).optional().meta({ description: 'Only the price of this model, also if it is not listed' }),
  search: z.string().max(256).optional().meta({ description: 'Only models with this text in the name, in any case' }),
});

export type ModelPrice = z.infer<typeof modelPriceSchema>;
export type PriceListQuery = z.infer<typeof priceListQuerySchema>;
