import { agentIdSchema, isNewAgentName, isReservedAgentName, timestampSchema } from '@agp/core/contracts';
import { nameSchema, storedTextSchema } from '@agp/documents/schema';
import { z } from 'zod';
import { identitySchema, maxTokenLength } from './schema.ts';

export const storedIdentitySchema = z
  .strictObject({
    id: z.string().startsWith('idp_'),
    version: z.int().min(1).meta({ description: 'Raised by each change' }),
    identity: identitySchema,
    text: storedTextSchema,
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'StoredIdentity' });

export const storedIdentityListSchema = z.array(storedIdentitySchema);

/** Longer than the claims of any name. */
const maxWorkload = 4_096;

export const adoptionSchema = z
  .strictObject({
    identity: nameSchema.meta({ description: 'The name of the issuer' }),
    name: z
      .string()
      .refine((name) => isNewAgentName(name) && !isReservedAgentName(name), 'must be a name of an agent')
      .meta({ description: 'What a rule of the issuer makes of its claims', example: 'prod.invoice-checker' }),
    workload: z
      .string()
      .max(maxWorkload)
      .optional()
      .meta({ description: 'The claims that make the name; those of its first request, if absent' }),
  })
  .meta({ id: 'Adoption', description: 'The workload that an agent is from then on' });

export const adoptedSchema = z
  .strictObject({ agent_id: agentIdSchema, agent_name: z.string(), identity: z.string(), name: z.string() })
  .meta({ id: 'Adopted' });

export const tryTokenSchema = z
  .strictObject({ token: z.string().min(1).max(maxTokenLength) })
  .meta({ id: 'TryToken', description: 'A token of a workload, which is neither stored nor logged' });

export const triedTokenSchema = z
  .strictObject({
    passes: z
      .boolean()
      .meta({ description: 'Whether a request with it would be let in now as the agent that it proves' }),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'Why not: it names the claim that is missing or does not match, never what it is' }),
    identity: z.string().nullable().meta({ description: 'The issuer that it names; null if none here is meant' }),
    rule: z
      .string()
      .nullable()
      .meta({ description: 'The rule that holds, by what the token says itself; as the next' }),
    agent: z.string().nullable().meta({ description: 'The name that the rule makes' }),
    agent_id: agentIdSchema
      .nullable()
      .meta({ description: 'The agent that it is; null if its first request would make it' }),
    labels: z.record(z.string(), z.string()).meta({ description: 'Of an agent that its first request would make' }),
    compliance_tag: z.string().nullable(),
    expires_at: timestampSchema.nullable(),
  })
  .meta({ id: 'TriedToken', description: 'What a token proves' });

export type TriedToken = z.infer<typeof triedTokenSchema>;
export type StoredIdentity = z.infer<typeof storedIdentitySchema>;
