import { z } from 'zod';
import { listedAgentSchema } from './agent.ts';
import { auditEntrySchema } from './audit.ts';
import { budgetSchema, noRoomSinceSchema } from './budget.ts';
import { agentEventListSchema } from './event.ts';
import { stopSchema } from './status.ts';

/** The latest events of an agent that its overview has. */
export const mostOverviewEvents = 20;

const sums = {
  total_cost_usd: z.number().min(0),
  total_tokens: z.int().min(0),
  request_count: z.int().min(0),
};

export const agentOverviewSchema = z
  .strictObject({
    agent: listedAgentSchema.required(),
    identity: z
      .strictObject({ issuer: z.string(), name: z.string() })
      .nullable()
      .meta({ description: 'The issuer whose workload it is, empty if that is gone, and by which name; or null' }),
    block: z.nullable(stopSchema).meta({ description: 'Null if it is not blocked, or was blocked past this API' }),
    budget: budgetSchema.nullable().meta({ description: 'Null while the amounts that requests hold cannot be read' }),
    no_room_since: noRoomSinceSchema,
    running_requests: z.int().min(0).nullable().meta({
      description:
        'Under way, or ended and not recorded yet; null while that cannot be read. A block ends those under way',
    }),
    days: z
      .array(z.strictObject({ day: z.iso.date(), ...sums }))
      .meta({ description: 'UTC days of the last 30 with usage, oldest first' }),
    models: z
      .array(z.strictObject({ model: z.string(), ...sums }))
      .meta({ description: 'Of those days, the dearest first, 20 at most' }),
    findings: z
      .array(z.strictObject({ type: z.string(), event_count: z.int().min(0) }))
      .meta({ description: 'Personal data of those days by kind, the most frequent first' }),
    changes: z
      .array(auditEntrySchema)
      .meta({ description: 'Latest entries of the audit log about it, refused requests too: 30 at most' }),
    events: agentEventListSchema.meta({
      description: `Its latest events with their outcomes, ${mostOverviewEvents} at most`,
    }),
  })
  .meta({ id: 'AgentOverview', description: 'One agent: what it is, used and did, and what was done about it' });

export type AgentOverview = z.infer<typeof agentOverviewSchema>;
