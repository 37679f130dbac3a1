import { z } from 'zod';
import { agentIdSchema } from './agent.ts';
import { timestampSchema } from './timestamp.ts';

const count = z.int().min(0);
const usd = z.number().min(0);
const cap = z.number().min(0).nullable();
const agent = { agent_id: agentIdSchema, agent_name: z.string() };

const serviceSchema = z
  .strictObject({
    name: z.enum(['management', 'postgres', 'nats', 'redis', 'writer', 'proxy']),
    state: z.enum(['ready', 'not_ready', 'idle', 'unknown']).meta({
      description:
        'Writers and proxies are known by what they record and refuse: `idle` if that stopped over a minute ago, ' +
        'since no requests come or none get through; `unknown` if nothing tells',
    }),
    detail: z.string(),
  })
  .meta({ id: 'ServiceState' });

export const stopSchema = z
  .strictObject({
    since: timestampSchema,
    by: z.string().meta({ description: 'The key or the person', example: 'key ops-1' }),
    reason: z.string().nullable(),
    until: timestampSchema.optional().meta({ description: 'When a block ends by itself' }),
  })
  .meta({ id: 'Stop', description: 'Who blocked an agent or paused all, and why, from the audit log' });

export type Stop = z.infer<typeof stopSchema>;

const stop = z.nullable(stopSchema).meta({ description: 'Null if not paused, or if it was done past this API' });

export const statusParts = {
  pause: z.strictObject({ paused: z.boolean(), stop }),
  services: z.array(serviceSchema),
  recording: z.strictObject({
    last_recorded_at: timestampSchema.nullable(),
    lag_ms: count.nullable().meta({ description: 'From the end of the latest recorded request until it was recorded' }),
    quarantine_waiting: count.meta({ description: 'Messages set aside and not replayed' }),
  }),
  requests: z
    .strictObject({
      since: timestampSchema.meta({ description: 'Where the window begins: the start of an hour' }),
      request_count: count,
      failed: count.meta({ description: 'Failed, or answered with 4xx or 5xx' }),
      aborted: count,
      killed: count,
      refused: count,
      refused_by: z
        .array(z.strictObject({ reason: z.string(), count }))
        .meta({ description: 'The ten most frequent reasons' }),
      is_more: z.boolean().meta({ description: 'Whether some of the counts ended at a bound, so that there are more' }),
    })
    .meta({ description: 'In the window' }),
  spend: z.strictObject({
    day: z.iso.date(),
    spent_usd: usd,
    daily_cap_usd: cap,
    warn_only: z.boolean(),
    agents_near_cap: z
      .array(
        z.strictObject({
          ...agent,
          spent_usd: usd,
          daily_cap_usd: usd,
          warn_only: z.boolean(),
          no_room: z.boolean().meta({ description: 'Its cap refused its latest request, within the last hour' }),
        }),
      )
      .meta({
        description:
          'Up to ten active agents that spent 80 % or more of their cap, or whose latest request had no room in it, the nearest first',
      }),
    agents_near_cap_count: count,
  }),
  top_spenders: z
    .array(z.strictObject({ ...agent, cost_usd: usd, request_count: count }))
    .meta({ description: 'Five at most, in the window' }),
  agents: z.strictObject({
    active: count,
    blocked: count,
    retired: count,
    latest_blocked: z
      .array(z.strictObject({ ...agent, updated_at: timestampSchema }))
      .meta({ description: 'Ten at most' }),
  }),
  pii: z
    .array(z.strictObject({ type: z.string(), event_count: count }))
    .meta({ description: 'The ten most frequent kinds in the window' }),
  unpriced_models: z.strictObject({
    count: count.meta({ description: 'Of all time' }),
    latest: z
      .array(
        z.strictObject({
          provider: z.string(),
          model: z.string(),
          request_count: count,
          last_seen_at: timestampSchema,
        }),
      )
      .meta({ description: 'Five at most' }),
  }),
};

/** The windows of a status: since the hour before this one, since midnight UTC, and so on. */
export const statusWindows = ['1h', 'today', '24h', '7d'] as const;
export type StatusWindow = (typeof statusWindows)[number];

export const statusQuerySchema = z.object({
  from: z.enum(statusWindows).default('1h').meta({
    description:
      'The window of requests, top spenders and personal data: today (UTC), or so long before the start of this hour',
  }),
});

export type StatusPart = keyof typeof statusParts;

const parts = Object.fromEntries(Object.entries(statusParts).map(([name, schema]) => [name, z.nullable(schema)])) as {
  [Name in StatusPart]: z.ZodNullable<(typeof statusParts)[Name]>;
};

export const statusSchema = z
  .strictObject({
    at: timestampSchema.meta({ description: 'When it was computed: at most once a second, for all callers' }),
    ...parts,
    unavailable: z
      .array(
        z.strictObject({ part: z.enum(Object.keys(statusParts) as [StatusPart, ...StatusPart[]]), error: z.string() }),
      )
      .meta({
        description: 'Parts that are null, and why',
      }),
  })
  .meta({ id: 'Status', description: 'Everything at a glance' });

export type Status = z.infer<typeof statusSchema>;
export type ServiceState = z.infer<typeof serviceSchema>;

export const pauseSchema = z
  .strictObject({
    paused: z.boolean().meta({ description: 'While true, no agent is served and running requests end' }),
  })
  .meta({ id: 'Pause' });

export const pauseStateSchema = pauseSchema.extend({ stop }).meta({ id: 'PauseState' });

export type Pause = z.infer<typeof pauseSchema>;

export const errorBodySchema = z
  .strictObject({
    error: z.string().meta({ description: 'What went wrong, in a few words' }),
    current: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .meta({ description: 'Only if `If-Match` named an earlier state: the present one; null if nothing is left' }),
  })
  .meta({ id: 'Error', description: 'The body of every answer that is not a success' });

export type ErrorBody = z.infer<typeof errorBodySchema>;
