import { agentIdSchema, isNewAgentName, isReservedAgentName, timestampSchema } from '@agp/core/contracts';
import { nameSchema } from '@agp/policy/schema';
import { z } from 'zod';
import { identitySchema } from './schema.ts';

export const storedIdentitySchema = z
  .strictObject({
    id: z.string().startsWith('idp_'),
    version: z.int().min(1).meta({ description: 'Raised by each change' }),
    identity: identitySchema,
    text: z
      .string()
      .nullable()
      .meta({ description: 'It as it was written in YAML, with comments; null if it was JSON' }),
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

export type StoredIdentity = z.infer<typeof storedIdentitySchema>;
