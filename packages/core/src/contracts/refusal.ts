import { z } from 'zod';
import { agentIdSchema } from './agent.ts';
import { timestampSchema } from './timestamp.ts';

const refusalSchema = z
  .strictObject({
    id: z.string().startsWith('ref_'),
    timestamp: timestampSchema,
    agent_id: agentIdSchema.nullable().meta({
      description:
        'Null where the request was refused before its agent was known: a name that it claims proves nothing',
    }),
    agent_name: z.string().nullable(),
    reason: z
      .string()
      .meta({ description: 'The code that the answer had in `X-Error-Code`', example: 'agent_blocked' }),
    request_id: z.string().meta({ description: "The caller's `X-Request-Id`, or one that the proxy made; not unique" }),
    source_ip: z.string(),
    provider: z.string().nullable().meta({ description: 'Null where the path names none that is configured' }),
    rule: z.string().nullable().meta({
      description: 'The policy that refused it, its rule and why; null where none did',
      example: 'interns models: the model gpt-5 is not allowed',
    }),
    told: z.string().nullable().meta({
      description: 'What the agent was told, if that says more than the reason and the rule',
      example: 'daily budget exceeded: cap 0.01 USD, spent 0.0019, this request may cost 0.0082',
    }),
    path: z.string().nullable().meta({ description: "The provider's, without query" }),
    count: z.int().min(1).meta({
      description:
        "Requests that it stands for: beyond the first alike of a minute, one entry a second has what is its first one's",
    }),
  })
  .meta({ id: 'Refusal', description: 'A request that the proxy refused' });

export const refusalListSchema = z.array(refusalSchema);

export type Refusal = z.infer<typeof refusalSchema>;
