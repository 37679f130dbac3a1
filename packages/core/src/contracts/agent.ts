import { z } from 'zod';
import { toLineText } from '../text.ts';
import { labelChangesSchema, metadataInputSchema } from './metadata.ts';
import { agentTokenPrefix } from './own-secret.ts';
import { timestampSchema } from './timestamp.ts';

export const agentIdSchema = z.string().startsWith('agt_').meta({ example: 'agt_01k9r3v8w5f2q8m6t4n0x7y1za' });

export const agentStatusSchema = z.enum(['active', 'blocked', 'retired']).meta({
  id: 'AgentStatus',
  description: '`blocked` makes the proxy refuse the agent from its next request on',
});

export const agentSchema = z
  .strictObject({
    id: agentIdSchema,
    name: z.string(),
    source_ip: z.string().meta({ description: "Address that the agent's latest recorded request came from" }),
    status: agentStatusSchema,
    metadata: z.record(z.string(), z.unknown()),
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'Agent', description: 'An agent, registered by its first request through the proxy' });

export const listedAgentSchema = agentSchema
  .extend({
    last_seen_at: timestampSchema
      .nullable()
      .optional()
      .meta({ description: 'Of its latest recorded request. Only with `expand=usage`, as the next six' }),
    cost_today_usd: z.number().min(0).optional().meta({ description: 'Of this UTC day' }),
    requests_today: z.int().min(0).optional(),
    daily_cap_usd: z.number().min(0).nullable().optional().meta({ description: 'USD a UTC day; null is no cap' }),
    warn_only: z.boolean().optional().meta({ description: 'Whether requests over the cap are let through' }),
    requests_per_minute: z.int().min(1).nullable().optional().meta({ description: 'Its limit; null is none' }),
    pii_today: z
      .array(z.string())
      .optional()
      .meta({ description: 'Kinds of personal data found in its requests of this UTC day' }),
  })
  .meta({ id: 'ListedAgent', description: 'An agent in a list' });

export const agentListSchema = z.array(listedAgentSchema);

export const agentLabelListSchema = z.array(
  z
    .strictObject({ name: z.string(), value: z.string(), agent_count: z.int().min(1) })
    .meta({ id: 'AgentLabel', description: 'A label, a string member of metadata, and how many agents have it' }),
);

export const agentUpdateSchema = z
  .strictObject({
    status: agentStatusSchema.optional(),
    blocked_until: z.iso.datetime({ offset: true }).optional().meta({
      description: 'With `status` = `blocked`: when the block ends by itself; without it, when somebody ends it',
    }),
    metadata: metadataInputSchema.optional(),
    labels: labelChangesSchema.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must hold status, metadata or labels')
  .refine(({ status, blocked_until }) => blocked_until === undefined || status === 'blocked', {
    path: ['blocked_until'],
    message: 'needs status blocked',
  })
  .meta({ id: 'AgentUpdate', description: 'At least one member', minProperties: 1 });

export const retiredAgentSchema = z
  .strictObject({ id: agentIdSchema, status: z.literal('retired'), updated_at: timestampSchema })
  .meta({ id: 'RetiredAgent' });

export type Agent = z.infer<typeof agentSchema>;
export type ListedAgent = z.infer<typeof listedAgentSchema>;
export type AgentStatus = z.infer<typeof agentStatusSchema>;
export type AgentUpdate = z.infer<typeof agentUpdateSchema>;

/** No spaces at the ends: headers lose them in transit, and paths do not. */
const printable = /^(?! )[^\p{C}]+(?<! )$/u;
const reserved = /^unnamed-/i;

export const maxAgentNameLength = 128;

export function isPrintableText(text: string, max: number): boolean {
  return text.length <= max && printable.test(text);
}

/**
 * Whether a new agent may register with this name: printable, in Unicode's form C, without invisible characters, so that two names of one
 * script that look the same are the same.
 */
export function isNewAgentName(name: string): boolean {
  return isPrintableText(name, maxAgentNameLength) && name.normalize() === name && toLineText(name) === name;
}

export function isReservedAgentName(name: string): boolean {
  return reserved.test(name);
}

export const agentTokenSchema = z
  .strictObject({
    id: z.string().startsWith('tok_'),
    agent_name: z.string(),
    identity: z.string().nullable().meta({
      description: 'The issuer of workload identities for whose token it was exchanged; null if a person made it',
    }),
    created_at: timestampSchema,
    expires_at: timestampSchema.nullable(),
  })
  .meta({ id: 'AgentToken', description: 'Proves to the proxy who an agent is; without its secret' });

export const agentTokenListSchema = z.array(agentTokenSchema);

export const createdAgentTokenSchema = agentTokenSchema
  .extend({
    secret: z.string().startsWith(agentTokenPrefix).meta({ description: 'Shown this once; only its digest is kept' }),
  })
  .meta({ id: 'CreatedAgentToken' });

export const agentTokenInputSchema = z
  .strictObject({
    agent_name: z
      .string()
      .min(1)
      .max(maxAgentNameLength)
      .refine((name) => isPrintableText(name, maxAgentNameLength), 'must be printable, without spaces at its ends')
      .refine((name) => !isReservedAgentName(name), 'must not begin with unnamed-'),
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .meta({ description: 'When the token stops working; never, if absent or null' }),
  })
  .meta({ id: 'AgentTokenInput' });

/** A name that needs an agent token, even if agents may otherwise declare any name. */
const claimedNameSchema = z
  .strictObject({
    name: z.string(),
    claimed_at: timestampSchema,
    token_count: z.int().min(0).meta({
      description: 'Tokens that people made for it and did not revoke, expired ones too',
    }),
    identity: z.string().nullable().meta({
      description: 'The issuer whose workload has it; empty if that issuer is gone; null if agent tokens alone have it',
    }),
  })
  .meta({ id: 'ClaimedName', description: 'A name that needs an agent token, or the workload that has it' });

export const claimedNameListSchema = z.array(claimedNameSchema);

export type AgentToken = z.infer<typeof agentTokenSchema>;
export type CreatedAgentToken = z.infer<typeof createdAgentTokenSchema>;
export type ClaimedName = z.infer<typeof claimedNameSchema>;
