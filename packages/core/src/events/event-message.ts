import { z } from 'zod';
import { fromPublicId, uuidTime } from '../ids.ts';
import { nanoToUsd } from '../money.ts';
import { eventNotesSchema } from './event-notes.ts';
import { decisionSchema, eventToolsSchema, maxDecisions } from './event-policy.ts';
import { maxPriceVersion } from './unpriced-units.ts';

/** Without NUL, and without half a surrogate pair. */
export function isStorableText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

const text = (max: number) => z.string().max(max).refine(isStorableText, 'must not hold NUL or a lone surrogate');
const tokens = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const milliseconds = z.int().min(0);

/** Session ids of callers that are used unchanged. */
export const sessionIdPattern = /^ses_[A-Za-z0-9_-]{1,64}$/;

/** The compliance tags that a caller or an agent's metadata may set. */
export const complianceTagPattern = /^[a-z0-9][a-z0-9._:-]{0,63}$/;

/**
 * One event on its way from a proxy to the writer: every member of the lineage payload but `v` and `seq`, and {@link eventNotesSchema}.
 * Its payload is of version 2 if it has `policy_version`, which proxies of 0.3.0 do not send.
 * Money is in whole nano-dollars, so that it is added exactly. Members that only a later version knows are left out.
 */
export const eventMessageSchema = z
  .object({
    id: z.string(),
    session_id: z.string().regex(sessionIdPattern),
    agent_id: z.string(),
    /** UTC, ISO 8601 with milliseconds and `Z`; the same millisecond that `id` holds. */
    timestamp: z.iso.datetime({ precision: 3 }),
    direction: z.enum(['request', 'response']),
    model: text(256).min(1),
    provider: text(64).min(1),
    prompt_tokens: tokens,
    completion_tokens: tokens,
    total_tokens: tokens,
    cost_nano_usd: z.int().min(0),
    compliance_tag: z.string().regex(complianceTagPattern),
    pii_detected: z.boolean(),
    pii_types: z.array(text(64)).max(64),
    /** Of the content bytes as received from and as written to the agent. */
    request_sha256: sha256.nullable(),
    response_sha256: sha256.nullable(),
    method: text(32).nullable(),
    path: text(2048).nullable(),
    requested_model: text(256).nullable(),
    provider_request_id: text(256).nullable(),
    source_ip: text(64).nullable(),
    duration_ms: milliseconds.nullable(),
    first_byte_ms: milliseconds.nullable(),
    http_status: z.int().min(100).max(999).nullable(),
    outcome: z.enum(['completed', 'failed', 'aborted', 'killed']).nullable(),
    usage_source: z.enum(['provider', 'estimated', 'none']).nullable(),
    price_version: text(maxPriceVersion).nullable(),
    pii_scan: z.enum(['full', 'partial', 'none']).nullable(),
    producer: text(128).nullable(),
    producer_seq: z.int().min(0).nullable(),
    /** Of the rules that decided; null without policies. */
    policy_version: z.int().min(1).nullable().optional(),
    decision: z.array(decisionSchema).max(maxDecisions).nullable().optional(),
    tools: eventToolsSchema.nullable().optional(),
    /** Of the content bytes that went to the provider, if a policy changed them. */
    forwarded_sha256: sha256.nullable().optional(),
    /** False for the `request` half of a recorded pair: requests are counted once. */
    counts_as_request: z.boolean(),
    request_id: eventNotesSchema.shape.request_id.catch(undefined),
    failure: eventNotesSchema.shape.failure.catch(undefined),
    pii_findings: eventNotesSchema.shape.pii_findings.catch(undefined),
    asked: eventNotesSchema.shape.asked.catch(undefined),
  })
  .superRefine((event, context) => {
    const uuid = fromPublicId('evt', event.id);
    if (uuid === null) context.addIssue({ code: 'custom', path: ['id'], message: 'is not an event id' });
    else if (uuidTime(uuid) !== Date.parse(event.timestamp)) {
      context.addIssue({ code: 'custom', path: ['timestamp'], message: 'is not the time that the id holds' });
    }
    if (fromPublicId('agt', event.agent_id) === null) {
      context.addIssue({ code: 'custom', path: ['agent_id'], message: 'is not an agent id' });
    }
  });

export type EventMessage = z.infer<typeof eventMessageSchema>;

/**
 * Makes any text fit a field of an event, so that no string poisons a batch: cut at `max` UTF-16 units, with U+FFFD for anything that
 * Postgres cannot store.
 */
export function toEventText(value: string, max: number): string {
  return value.slice(0, max).replaceAll('\0', '\uFFFD').toWellFormed();
}

const announcedEventSchema = z.object({
  id: z.string(),
  agent_id: z.string(),
  session_id: z.string(),
  timestamp: z.string(),
  model: z.string(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cost_usd: z.number(),
  compliance_tag: z.string(),
  lineage_hash: z.string(),
  pii_detected: z.boolean(),
  pii_types: z.array(z.string()),
  outcome: z.string().nullable().optional(),
  http_status: z.int().nullable().optional(),
  failure: z.string().nullable().optional(),
});

/**
 * One batch that a writer has recorded. `announcer_seq` counts the announcements of a process from 0, so that a subscriber notices a lost
 * one.
 */
export const eventAnnouncementSchema = z.object({
  announcer: z.string(),
  announcer_seq: z.int().min(0),
  events: z.array(announcedEventSchema),
});

export type AnnouncedEvent = z.infer<typeof announcedEventSchema>;
export type EventAnnouncement = z.infer<typeof eventAnnouncementSchema>;

export function toAnnouncedEvent(event: EventMessage, lineageHash: string): AnnouncedEvent {
  return {
    id: event.id,
    agent_id: event.agent_id,
    session_id: event.session_id,
    timestamp: event.timestamp,
    model: event.model,
    prompt_tokens: event.prompt_tokens,
    completion_tokens: event.completion_tokens,
    cost_usd: nanoToUsd(event.cost_nano_usd),
    compliance_tag: event.compliance_tag,
    lineage_hash: lineageHash,
    pii_detected: event.pii_detected,
    pii_types: event.pii_types,
    outcome: event.outcome,
    http_status: event.http_status,
    failure: event.failure ?? null,
  };
}
