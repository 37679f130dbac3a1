import {
  eventStreamQuerySchema,
  forwardFault,
  isForward,
  pageParameters,
  timeRange,
  timestampSchema,
} from '@agp/core/contracts';
import { storedTextSchema } from '@agp/documents/schema';
import { z } from 'zod';
import { type KindName, kinds, severities } from './kinds.ts';
import { ruleSchema } from './schema.ts';
import { shownTargetSchema } from './targets.ts';

const stored = {
  version: z.int().min(1).meta({ description: 'Raised by each change' }),
  created_at: timestampSchema,
  updated_at: timestampSchema,
};

export const storedRuleSchema = z
  .strictObject({
    id: z.string().startsWith('nru_'),
    rule: ruleSchema,
    text: storedTextSchema,
    open_count: z.int().min(0).meta({ description: 'Its alerts that are open' }),
    ...stored,
  })
  .meta({ id: 'StoredNotificationRule' });

export const storedRuleListSchema = z.array(storedRuleSchema);
export type StoredRule = z.infer<typeof storedRuleSchema>;

export const storedTargetSchema = z
  .strictObject({
    id: z.string().startsWith('ntg_'),
    target: shownTargetSchema,
    disabled: z
      .strictObject({ since: timestampSchema, because: z.string() })
      .nullable()
      .meta({ description: 'If its receiver said that it is gone (410): a change of it tries anew' }),
    waiting_count: z.int().min(0).meta({ description: 'Messages that are not delivered yet' }),
    dead_count: z.int().min(0).meta({ description: 'Messages that were given up' }),
    last_error: z.string().nullable().meta({ description: 'Of the messages that wait' }),
    ...stored,
  })
  .meta({ id: 'StoredNotificationTarget' });

/** An answer to its making alone: the secret is never shown again. */
export const madeTargetSchema = storedTargetSchema
  .extend({
    secret: z.string().nullable().meta({ description: 'That was made for it, once; null if there is none' }),
  })
  .meta({ id: 'MadeNotificationTarget' });

export const storedTargetListSchema = z.array(storedTargetSchema);
export type StoredTarget = z.infer<typeof storedTargetSchema>;
export type MadeTarget = z.infer<typeof madeTargetSchema>;

export const alertStates = ['open', 'acknowledged', 'resolved'] as const;

export const alertSchema = z
  .strictObject({
    id: z.string().startsWith('alr_'),
    rule: z.string().meta({ description: 'Its name when the alert came up' }),
    kind: z.enum(Object.keys(kinds) as [KindName, ...KindName[]]),
    severity: z.enum(severities),
    state: z.enum(alertStates).meta({ description: 'A mere notice is resolved at once' }),
    title: z.string().meta({ example: 'agent nightly fails: all 306 requests' }),
    detail: z.string(),
    path: z.string().meta({ description: "The console's screen that shows its cause", example: '/budgets' }),
    agent_id: z.string().nullable().meta({ description: 'If it is of one agent alone' }),
    reach: z.int().min(0).meta({ description: 'How many agents it is of; 0 if it is of none in particular' }),
    opened_at: timestampSchema,
    acknowledged_at: timestampSchema.nullable(),
    acknowledged_by: z.string().nullable(),
    resolved_at: timestampSchema.nullable(),
  })
  .meta({ id: 'Alert' });

export const alertListQuerySchema = z
  .object({
    ...pageParameters(50),
    state: z
      .enum([...alertStates, 'unresolved'])
      .optional()
      .meta({
        description: 'Only alerts in it; `unresolved`: open or acknowledged',
      }),
    severity: z.enum(severities).optional().meta({ description: 'Only alerts of it' }),
    rule: z.string().max(256).optional().meta({ description: 'Only alerts of this rule' }),
    agent_id: z.string().optional().meta({ description: 'Only alerts about this agent' }),
    ...timeRange('alerts that came up'),
  })
  .refine(isForward, forwardFault);

export const alertListSchema = z.array(alertSchema);
export type Alert = z.infer<typeof alertSchema>;

/** What a message says of an alert; a report is of no alert. */
export const occasions = ['opened', 'resolved', 'test', 'report'] as const;
export type Occasion = (typeof occasions)[number];

export const deliveryStates = ['waiting', 'delivered', 'dead'] as const;

export const deliverySchema = z
  .strictObject({
    id: z
      .string()
      .startsWith('dlv_')
      .meta({ description: 'The same at each try: receivers know by it what they have' }),
    target: z.string(),
    alert_id: z.string().nullable().meta({ description: 'Null for a test, and for the costs of a month (`report`)' }),
    title: z.string(),
    occasion: z.enum(occasions),
    state: z.enum(deliveryStates),
    attempts: z.int().min(0),
    next_at: timestampSchema.nullable().meta({ description: 'When it is tried again; null if it is not' }),
    error: z.string().nullable().meta({ description: 'Of the last try' }),
    created_at: timestampSchema,
    delivered_at: timestampSchema.nullable(),
  })
  .meta({ id: 'NotificationDelivery' });

export const deliveryListQuerySchema = z.object({
  ...pageParameters(50),
  state: z.enum(deliveryStates).optional().meta({ description: 'Only messages in it' }),
  target: z.string().max(256).optional().meta({ description: 'Only messages to this target' }),
});

export const deliveryListSchema = z.array(deliverySchema);
export type Delivery = z.infer<typeof deliverySchema>;

export const rulePreviewSchema = z
  .strictObject({
    count: z.int().min(0).meta({ description: 'Alerts that would be open now' }),
    messages: z.int().min(0).meta({ description: 'Messages of them that would be sent within a minute' }),
    alerts: z
      .array(alertSchema.pick({ title: true, detail: true, path: true, agent_id: true }))
      .meta({ description: 'At most 20 of them' }),
    example: alertSchema.pick({ title: true, detail: true }).meta({ description: 'What such a message says' }),
  })
  .meta({ id: 'NotificationRulePreview' });

export type RulePreview = z.infer<typeof rulePreviewSchema>;

/** What a test of a target came to. */
export const testedSchema = z
  .strictObject({
    delivered: z.boolean(),
    status: z.int().nullable().meta({ description: "The receiver's HTTP status; null without one" }),
    error: z.string().nullable(),
  })
  .meta({ id: 'TestedNotificationTarget' });

export type Tested = z.infer<typeof testedSchema>;

/** What streams send of an alert that they were asked for. */
export const streamAlertSchema = alertSchema.meta({ id: 'StreamAlert' });

export const streamQuerySchema = eventStreamQuerySchema.extend({
  kinds: z
    .enum(['events', 'alerts', 'events,alerts', 'alerts,events'])
    .default('events')
    .meta({ description: 'What is sent; `session_id` is of events alone', override: { default: 'events' } }),
});
