import { z } from 'zod';
import { agentIdSchema } from './agent.ts';
import { auditActions } from './audit-action.ts';
import { timestampSchema } from './timestamp.ts';

const actorSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('api_key'), id: z.string().startsWith('key_'), name: z.string() }),
    z.strictObject({ kind: z.literal('person'), id: z.string(), name: z.string() }),
    z.strictObject({ kind: z.literal('proxy') }),
    z.strictObject({ kind: z.literal('system') }),
  ])
  .meta({
    id: 'AuditActor',
    description:
      'An API key, a person as an OpenID provider knows them, the proxy that refused, or a service that acted on its own configuration',
  });

const stateSchema = z.record(z.string(), z.unknown()).nullable();
const idSchema = z.string().startsWith('aud_');

export const auditEntrySchema = z
  .strictObject({
    id: idSchema.nullable().meta({ description: 'Null while the entry is not in the chain' }),
    seq: z.int().min(0).nullable().meta({ description: 'Place in the chain; null while it has none' }),
    timestamp: timestampSchema,
    actor: actorSchema,
    source_ip: z.string().nullable().meta({ description: 'Address of the call, or of the latest refused request' }),
    action: z.enum(auditActions),
    agent_id: agentIdSchema.nullable(),
    agent_name: z.string().nullable().optional().meta({ description: 'Only with `expand=agent`' }),
    target: z.string().nullable().meta({ description: 'Id or name of what was changed' }),
    before: stateSchema,
    after: stateSchema.meta({ description: 'Of refused requests: `reasons`, with how many there were of each' }),
    count: z.int().min(1).meta({ description: 'Refused requests; 1 for a change' }),
    reason: z.string().nullable().meta({ description: 'Why the change was made, where its caller said so' }),
    lineage_hash: z
      .string()
      .nullable()
      .meta({ description: 'Null for refused requests of a minute that is not over: their count still grows' }),
  })
  .meta({ id: 'AuditEntry', description: 'Who changed what, or requests that the proxy refused' });

export const auditListSchema = z.array(auditEntrySchema);

export const auditChainSchema = z
  .strictObject({
    entries: z.array(
      z
        .strictObject({ seq: z.int().min(0), id: idSchema, lineage_hash: z.string(), payload: z.string() })
        .meta({ id: 'AuditLink' }),
    ),
  })
  .meta({
    id: 'AuditChain',
    description: "The log's chain with the exact text that each hash covers, for checking offline",
  });

export const auditVerdictSchema = z
  .strictObject({
    valid: z.boolean(),
    length: z.int().min(0).meta({ description: 'Entries that the chain has' }),
    head: z.string().meta({ description: 'Hash of the last entry; `genesis` if the log is empty' }),
    first_divergence: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Place of the first entry that is not as it was written' }),
  })
  .meta({ id: 'AuditVerdict' });

export type ListedAuditEntry = z.infer<typeof auditEntrySchema>;
export type AuditLink = z.infer<typeof auditChainSchema>['entries'][number];
export type AuditVerdict = z.infer<typeof auditVerdictSchema>;
