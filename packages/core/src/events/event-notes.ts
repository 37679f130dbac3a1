import { z } from 'zod';

/** Why a provider could not be reached, or broke off its answer. */
export const failureCauses = [
  'name_not_found',
  'refused',
  'unreachable',
  'connect_timeout',
  'tls',
  'reset',
  'timeout',
  'protocol',
  'other',
] as const;

export type FailureCause = (typeof failureCauses)[number];

/** Ids of requests that callers may choose: printable ASCII without spaces. They are not unique. */
export const requestIdPattern = /^[\x21-\x7e]{1,128}$/;

/** Most findings that one event lists. */
export const maxPiiFindings = 100;

/** The place of one finding of personal data in a call, without its text. */
export const piiFindingSchema = z.strictObject({
  in: z.enum(['request', 'response']),
  /** Which message of the conversation, from 0; null where the text belongs to none. */
  message: z.int().min(0).nullable(),
  type: z.string().regex(/^[a-z0-9_]{1,64}$/),
});

export type PiiFinding = z.infer<typeof piiFindingSchema>;

const notes = {
  /** The caller's `X-Request-Id`, or one that the proxy made. */
  request_id: z.string().regex(requestIdPattern).nullable(),
  failure: z.enum(failureCauses).nullable(),
  pii_findings: z.array(piiFindingSchema).max(maxPiiFindings).nullable(),
};

/**
 * What is stored with an event and is no part of its lineage payload, whose version 1 never gets members. Proxies of 0.2.0 send none.
 */
export const eventNotesSchema = z.strictObject(notes).partial();

export type EventNotes = z.infer<typeof eventNotesSchema>;

/** The notes among the members of an event, as JSON in ASCII; null where there are none. */
export function encodeNotes({ request_id, failure, pii_findings }: EventNotes): string | null {
  if (request_id == null && failure == null && pii_findings == null) return null;
  return JSON.stringify({
    request_id: request_id ?? undefined,
    failure: failure ?? undefined,
    pii_findings: pii_findings ?? undefined,
  });
}

/** Reads each note by itself: one that this version does not know, or that is broken, is left out. */
export function readNotes(value: unknown): EventNotes {
  if (typeof value !== 'object' || value === null) return {};
  const read: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(notes)) {
    if (!Object.hasOwn(value, name)) continue;
    const parsed = schema.safeParse((value as Record<string, unknown>)[name]);
    if (parsed.success) read[name] = parsed.data;
  }
  return read;
}
