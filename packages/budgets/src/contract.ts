import { teamSchema, timestampSchema } from '@agp/core/contracts';
import { storedTextSchema } from '@agp/documents/schema';
import { z } from 'zod';
import { budgetSchema } from './schema.ts';

/** How many an installation may have, beside those of each team. */
export const maxBudgets = 1_000;
export const maxBudgetsOfTeam = 50;

/** Of a split budget, those that used most are shown, at most so many. */
export const mostUses = 20;

const useSchema = z
  .strictObject({
    key: z.string().meta({ description: 'The agent, session or value of the label; empty if it is not split' }),
    name: z.string().nullable().meta({ description: "The agent's name, if it is split by agent" }),
    used: z.number().min(0).meta({ description: 'Recorded in its window, or kept as unrecorded, in `unit`' }),
    held: z.number().meta({ description: 'By running requests, and by those that are not recorded yet' }),
    left: z.number().meta({ description: 'Below 0 if it is passed' }),
    expected: z
      .number()
      .nullable()
      .meta({ description: 'At the end of a day, week or month, if it goes on as since its beginning; else null' }),
  })
  .meta({ id: 'BudgetUse' });

const windowSchema = z.strictObject({
  from: timestampSchema.nullable().meta({ description: 'Null for a session, and for all time' }),
  to: timestampSchema.nullable().meta({ description: 'When it begins anew, or moves on by an hour' }),
});

export const storedBudgetSchema = z
  .strictObject({
    id: z.string().startsWith('bud_'),
    version: z.int().min(1).meta({ description: 'Raised by each change' }),
    budget: budgetSchema,
    text: storedTextSchema,
    is_counted: z.boolean().meta({
      description:
        'False while what its window holds is summed up from the records: until then requests are held to what it was before',
    }),
    window: windowSchema,
    uses: z.array(useSchema).meta({ description: `Those that used most, at most ${mostUses}; one if it is not split` }),
    use_count: z.int().min(0).meta({ description: 'How many have used it in its window' }),
    team: teamSchema.nullable().meta({ description: 'Whose it is; null if it is of the whole installation' }),
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'StoredBudget', description: 'A budget with what is used of its present window' });

export const storedBudgetListSchema = z.array(storedBudgetSchema);

export const budgetPreviewSchema = z
  .strictObject({
    window: windowSchema,
    agents: z.strictObject({
      count: z.int().min(0),
      names: z.array(z.string()).meta({ description: 'At most 20' }),
    }),
    uses: z.array(useSchema.omit({ held: true })).meta({ description: `At most ${mostUses}` }),
    use_count: z.int().min(0),
    is_complete: z.boolean().meta({
      description: 'False if the window holds more than is looked at: 10,000 that it is split by, in 10 seconds',
    }),
    passed: z.int().min(0).meta({ description: 'How many of them have used the amount already' }),
  })
  .meta({ id: 'BudgetPreview', description: 'Whom a budget would count, and what its window holds already' });

export const explainedBudgetListSchema = z.array(
  z
    .strictObject({
      id: z.string(),
      name: z.string(),
      on_exceeded: z.enum(['observe', 'warn', 'refuse']),
      unit: z.enum(['usd', 'tokens', 'requests']),
      amount: z.number(),
      window: windowSchema,
      use: useSchema,
    })
    .meta({ id: 'ExplainedBudget', description: 'A budget that counts such a request, and what is used of it' }),
);

export type BudgetUse = z.infer<typeof useSchema>;
export type StoredBudget = z.infer<typeof storedBudgetSchema>;
export type BudgetPreview = z.infer<typeof budgetPreviewSchema>;
export type ExplainedBudget = z.infer<typeof explainedBudgetListSchema>[number];
