import { notCharged, splitLabelOf } from '@agp/core/labels';
import { modelNamesSchema, nameSchema, selectorFields, zoneSchema } from '@agp/documents/schema';
import { z } from 'zod';
import { isCalendar, isWindow, mostHours, plainWindows } from './windows.ts';

const maxThresholds = 10;

/** What a budget counts, and how many whole steps one of it has: dollars are counted in billionths. */
export const steps = { usd: 1e9, tokens: 1, requests: 1 } as const;
export type Unit = keyof typeof steps;

/** One budget, as people write it. */
export const budgetSchema = z
  .strictObject({
    name: nameSchema.meta({ example: 'sales-monthly' }),
    description: z.string().max(512).optional().meta({ description: 'Why it is there' }),
    match: z
      .strictObject({ ...selectorFields, models: modelNamesSchema.optional() })
      .prefault({})
      .meta({ description: 'All that is named must match; without any, every request counts' }),
    split_by: z
      .string()
      .refine(
        (split) => ['none', 'agent', 'session'].includes(split) || splitLabelOf(split) !== null,
        'must be none, agent, session or label:NAME',
      )
      .default('none')
      .meta({
        description:
          '`none`: all that match share the amount; `agent`, `session` and `label:NAME`: each agent, session or value of ' +
          'the label has the amount for itself, and agents without the label are left out',
      }),
    unit: z.enum(Object.keys(steps) as [Unit, ...Unit[]]).default('usd'),
    amount: z.number().min(0).max(9_000_000_000_000).meta({ description: 'What may be used in a window, in `unit`' }),
    window: z
      .string()
      .refine(isWindow, `must be ${plainWindows.join(', ')} or rolling:HOURS, up to ${mostHours} hours`)
      .meta({
        description:
          '`day`, `week` (from Monday) and `month` of the calendar in `zone`; `rolling:HOURS`: the hour that is running ' +
          'and those before it; `session`: all of a session; `total`: all time',
        example: 'month',
      }),
    zone: zoneSchema.default('UTC').meta({ description: 'Of days, weeks and months', example: 'Europe/Berlin' }),
    thresholds: z
      .array(z.number().positive().max(1_000))
      .max(maxThresholds)
      .default([50, 80, 100])
      .meta({ description: 'Percent of the amount at which it is shown as used that far' }),
    on_exceeded: z.enum(['observe', 'warn', 'refuse']).default('refuse').meta({
      description: '`observe` counts; `warn` also tells the agent in a header; `refuse` lets nothing pass the amount',
    }),
  })
  .superRefine(({ match, split_by, unit, amount, window, zone }, context) => {
    const fail = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if ((split_by === 'session') !== (window === 'session'))
      fail('window', 'must be session just if split_by is session');
    if (zone !== 'UTC' && !isCalendar(window)) fail('zone', 'matters for day, week and month alone');
    const label = Object.keys(match.labels ?? {}).find((name) => notCharged.includes(name));
    if (label !== undefined)
      fail('match', `labels.${label} charges nothing: tags have a member of their own, and notes are prose`);
    if (notCharged.includes(splitLabelOf(split_by) ?? ''))
      fail('split_by', 'must be a label that charges: no note, no compliance_tag');
    const whole = Math.round(amount * steps[unit]);
    const isWhole =
      unit === 'usd' ? Math.abs(amount * steps.usd - whole) <= 1e-6 * Math.max(1, whole) : whole === amount;
    if (!isWhole || !Number.isSafeInteger(whole))
      fail(
        'amount',
        unit === 'usd' ? 'must be whole billionths of a dollar, up to 9,000,000' : 'must be a whole number',
      );
  })
  .meta({ id: 'BudgetDefinition', description: 'How much may be used of what, by whom, in which time' });

export type BudgetDefinition = z.infer<typeof budgetSchema>;
