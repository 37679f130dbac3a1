import { z } from 'zod';
import { askedSchema } from './event-policy.ts';

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

export const requestIdPattern = /^[\x21-\x7e]{1,128}$/;

export const maxPiiFindings = 100;

/** The place of one finding of personal data in a call, without its text. */
export const piiFindingSchema = z.object({
  in: z.enum(['request', 'response']),
  message: z.int().min(0).nullable(),
  type: z.string().regex(/^[a-z0-9_]{1,64}$/),
});

export type PiiFinding = z.infer<typeof piiFindingSchema>;

/**
 * Stored with an event, and no part of its lineage payload. A value that only a later version knows is
 * left out.
 */
export const eventNotesSchema = z
  .object({
    /** The caller's `X-Request-Id`, or one that the proxy made. */
    request_id: z.string().regex(requestIdPattern).nullable(),
    failure: z.enum(failureCauses).nullable(),
    pii_findings: z.array(piiFindingSchema).max(maxPiiFindings).nullable(),
    asked: askedSchema.nullable(),
  })
  .partial();
