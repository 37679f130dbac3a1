import { z } from 'zod';
import { isPrintableText, isReservedAgentName, maxAgentNameLength } from './agent.ts';
import { timestampSchema } from './timestamp.ts';

/** Proxies recognize a token by it in any header. */
export const agentTokenPrefix = 'agp_';

export const agentTokenSchema = z
  .strictObject({
    id: z.string().startsWith('tok_'),
    agent_name: z.string(),
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
    token_count: z.int().min(0).meta({ description: 'Tokens of this name that were not revoked, expired ones too' }),
  })
  .meta({ id: 'ClaimedName', description: 'A name that an agent token was made for, and that needs one since' });

export const claimedNameListSchema = z.array(claimedNameSchema);

export type AgentToken = z.infer<typeof agentTokenSchema>;
export type CreatedAgentToken = z.infer<typeof createdAgentTokenSchema>;
export type ClaimedName = z.infer<typeof claimedNameSchema>;
