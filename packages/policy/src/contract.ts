import {
  agentIdSchema,
  eventIdSchema,
  sessionIdSchema,
  teamSchema,
  timeParameterSchema,
  timestampSchema,
} from '@agp/core/contracts';
import { storedTextSchema } from '@agp/documents/schema';
import { z } from 'zod';
import { dataActions } from './data-schema.ts';
import { policySchema } from './schema.ts';

/** How many an installation may have, beside those of each team. */
export const maxPolicies = 100;
export const maxPoliciesOfTeam = 20;

export const storedPolicySchema = z
  .strictObject({
    id: z.string().startsWith('pol_'),
    version: z.int().min(1).meta({ description: 'Raised by each change' }),
    policy: policySchema,
    text: storedTextSchema,
    team: teamSchema.nullable().meta({ description: 'Whose it is; null if it is of the whole installation' }),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    hits: z
      .strictObject({
        since: timestampSchema,
        refused: z.int().min(0),
        noted: z.int().min(0).meta({ description: 'Recorded requests for which it decided something' }),
        by: z.array(
          z.strictObject({
            rule: z.string(),
            action: z.string().meta({ description: '`refuse`, or an action of `decision` in events' }),
            requests: z.int().min(0),
          }),
        ),
      })
      .optional()
      .meta({
        description:
          'Only with `expand=hits`: what it decided since the hour that began 24 hours ago, exactly; a request counts for each rule',
      }),
  })
  .meta({ id: 'StoredPolicy', description: 'A policy with its id and version' });

export const policyListSchema = z.array(storedPolicySchema);

/** Days of refusals, today too. */
export const refusalDays = 14;

export const policyRefusalsSchema = z
  .strictObject({
    from: timestampSchema,
    refused: z.int().min(0).meta({
      description:
        'In all since the hour in which it was made; for a key of a team, of a policy of all teams: as far as they are listed',
    }),
    days: z.array(z.strictObject({ day: z.iso.date(), refused: z.int().min(0) })).length(refusalDays),
    teams: z
      .array(
        z.strictObject({
          team: z.string().nullable().meta({ description: 'Null, the last, for agents without the label `team`' }),
          agents: z.int().min(1),
          refused: z.int().min(1),
        }),
      )
      .max(51)
      .meta({ description: 'By the label that agents have now, 50 with most' }),
    unlisted: z.int().min(0).meta({
      description:
        'Of no team: of unknown agents, of teams beyond 50, no longer listed, or beyond 200,000 rows of the list',
    }),
  })
  .meta({ id: 'PolicyRefusals', description: 'What a policy refused on each of the last 14 days (UTC), and of whom' });

export const previewRequestSchema = z
  .strictObject({
    policies: z.array(policySchema).min(1).max(maxPolicies),
    from: timeParameterSchema.optional().meta({ description: 'Seven days ago if absent' }),
    to: timeParameterSchema.optional().meta({ description: 'Now if absent' }),
  })
  .meta({ id: 'PreviewRequest', description: 'Policies to try on what was recorded' });

/** The longest text that is tried, in UTF-16 units. */
export const maxTriedText = 65_536;

export const tryRequestSchema = z
  .strictObject({
    policies: z.array(policySchema).min(1).max(20),
    text: z.string().max(maxTriedText),
    direction: z.enum(['request', 'response']).default('request'),
  })
  .meta({ id: 'TryPolicies', description: 'Policies to try on a text, each as if it were enforced and matched' });

export const triedTextSchema = z
  .strictObject({
    found: z
      .array(
        z.strictObject({ policy: z.string(), kind: z.string(), action: z.enum(dataActions), count: z.int().min(1) }),
      )
      .meta({ description: 'What each policy names of it, and does with it' }),
    places: z
      .array(
        z.strictObject({
          start: z.int().min(0),
          end: z.int().min(0),
          kind: z.string(),
          action: z.enum(dataActions).meta({ description: 'The strictest of all policies' }),
        }),
      )
      .meta({ description: 'In UTF-16 units, in order; no two overlap' }),
    sent: z.string().nullable().meta({ description: 'What would be passed on; null if nothing would' }),
    refusal: z.string().nullable().meta({ description: 'What an agent would read; null if nothing is blocked' }),
    notes: z.array(z.string()).meta({ description: 'What was not tried, in words' }),
  })
  .meta({ id: 'TriedText', description: 'What policies find in a text, and what would be passed on' });

const share = z.strictObject({ name: z.string(), requests: z.int().min(0) });
const shares = z.array(share).max(20);

export const previewSchema = z
  .strictObject({
    from: timestampSchema.meta({
      description: 'From when on requests were looked at: later than asked if `is_complete` is false',
    }),
    to: timestampSchema,
    requests: z.int().min(0).meta({ description: 'That were looked at, the latest first' }),
    is_complete: z
      .boolean()
      .meta({ description: 'False if more were recorded than are looked at, of 200,000 and in 20 seconds' }),
    refused: z.int().min(0).meta({ description: 'That the policies, enforced, would have refused, changed or cut' }),
    excepted: z.int().min(0).meta({ description: 'That exceptions let pass, which have not ended yet' }),
    flagged: z.int().min(0).meta({ description: 'In which `flag` of a rule of data would have noted something' }),
    agents: z.int().min(0).meta({ description: 'Agents of those refused' }),
    by: z.strictObject({
      rule: shares,
      agent: shares,
      model: shares,
      tool: shares,
      hour: z
        .array(share)
        .max(24 * 31)
        .meta({ description: 'By the hour that begins at the name, UTC' }),
      unread: shares.meta({
        description: 'By what no table knows and may name a model or bring a tool, such as `the member "fallbacks"`',
      }),
    }),
    examples: z
      .array(
        z.strictObject({
          event_id: eventIdSchema,
          session_id: sessionIdSchema,
          agent_id: agentIdSchema,
          agent_name: z.string(),
          timestamp: timestampSchema,
          model: z.string(),
          policy: z.string(),
          rule: z.string(),
          reason: z.string(),
        }),
      )
      .max(10),
    cannot_tell: z
      .array(z.strictObject({ rule: z.string(), requests: z.int().min(0), reason: z.string() }))
      .meta({ description: 'Requests whose records do not say what a rule asks; they are not counted as refused' }),
    never: z
      .array(z.strictObject({ policy: z.string(), rule: z.string().nullable() }))
      .meta({ description: 'Rules that found nothing; without a rule, policies that matched no request' }),
    unseen: z.array(z.strictObject({ policy: z.string(), rule: z.string(), name: z.string() })).meta({
      description:
        'Names of models, tools, agents, providers and labels (`team=x`) that no request of the range had; at most 100',
    }),
    contradictions: z
      .array(z.string())
      .meta({ description: 'Rules that cancel each other out, in words; 100, then that there are more' }),
    warnings: z.array(z.string()).meta({
      description: 'What can hold for no request, change nothing, or be left by another name, in words; as many',
    }),
  })
  .meta({ id: 'Preview', description: 'What policies would have done to recorded requests' });

export const agentToolSchema = z
  .strictObject({
    kind: z.string(),
    name: z.string(),
    declared: z.int().min(0).meta({ description: 'Requests that offered it' }),
    called: z.int().min(0).meta({ description: 'Answers that called it' }),
    first_seen_at: timestampSchema,
    last_seen_at: timestampSchema,
  })
  .meta({ id: 'AgentTool', description: 'A tool that an agent declared or called' });

export const agentToolListSchema = z.array(agentToolSchema);

export type PolicyRefusals = z.infer<typeof policyRefusalsSchema>;
export type StoredPolicy = z.infer<typeof storedPolicySchema>;
export type PreviewRequest = z.infer<typeof previewRequestSchema>;
export type TryRequest = z.infer<typeof tryRequestSchema>;
export type TriedText = z.infer<typeof triedTextSchema>;
export type Preview = z.infer<typeof previewSchema>;
export type AgentTool = z.infer<typeof agentToolSchema>;
