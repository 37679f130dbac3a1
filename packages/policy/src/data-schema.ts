import { readGuardrail } from '@agp/core/bedrock';
import { geos } from '@agp/core/geos';
import { text } from '@agp/documents/schema';
import { listPiiTypes } from '@agp/pii/types';
import { z } from 'zod';

const maxPatterns = 20;
const maxExamples = 5;
/** What may be forwarded of a text that names kinds: each is flagged, replaced, or stops the call. */
export const dataActions = ['flag', 'redact', 'block'] as const;
export type DataAction = (typeof dataActions)[number];
/** What stands in place of a value: each says more of it than those before. */
export const puts = ['label', 'hash', 'last_four'] as const;
export type Put = (typeof puts)[number];

export const kindName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be up to 64 of a-z, 0-9, "_", first a letter')
  .meta({ description: 'A type, a group of types, or one of `patterns`' });

const actionsSchema = z
  .record(kindName, z.enum(dataActions))
  .refine((actions) => Object.keys(actions).length > 0, 'must name a type')
  .meta({
    description:
      '`flag` records, `redact` puts something in its place, `block` stops the call; of a type, a group and `all` the narrowest counts',
  });

/** Whether a name is one of docs/pii.md, of a type or group. */
const isPiiKind = (name: string) => listPiiTypes(name).length > 0;

const example = z.string().min(1).max(512);

/** Whether it can be used is found by `findPatternFault`. */
const patternSchema = z
  .strictObject({
    name: kindName.refine((name) => !isPiiKind(name), 'is the name of a type or group'),
    pattern: z.string().min(1).max(512).meta({
      description: 'In the syntax of RE2; found anywhere, also within words, and in its own case without `(?i)`',
    }),
    longest: z.int().min(1).max(1_024).default(128).meta({
      description: 'The most characters that it matches in a stream, which waits for so many',
    }),
    matches: z.array(example).min(1).max(maxExamples).meta({ description: 'Texts in which it must be found' }),
    ignores: z.array(example).min(1).max(maxExamples).meta({ description: 'Texts in which it must not be' }),
  })
  .meta({ id: 'PolicyPattern' });

export type OwnPattern = z.infer<typeof patternSchema>;

export const piiSchema = z
  .strictObject({
    request: actionsSchema.optional().meta({ description: 'Of what agents send' }),
    response: actionsSchema.optional().meta({ description: 'Of what providers answer' }),
    replace_with: z.enum(puts).default('label').meta({
      description:
        '`label`: `[email k7p2mz]`, the same for one value of one agent; `hash`: `[email 5f2b...]`, the same for all agents, of a key of the installation; `last_four`: `****1234`',
    }),
    restore: z.boolean().default(false).meta({
      description: 'Puts back into answers what labels stand for that this request or its named session brought',
    }),
    signed: z.enum(['pass', 'refuse']).optional().meta({
      description:
        'What its provider signed (thinking with a signature, a signed call) is never changed: `refuse` refuses a request if that holds what is redacted, `pass`, as without it, sends it back as it came',
    }),
    patterns: z.array(patternSchema).max(maxPatterns).optional(),
  })
  .superRefine(({ request, response, replace_with: put, restore, patterns = [] }, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (request === undefined && response === undefined) refuse([], 'must hold request, response or both');
    if (restore && (put !== 'label' || !Object.values(request ?? {}).includes('redact')))
      refuse(['restore'], 'needs replace_with: label, and a request that is redacted');
    const own = new Set(patterns.map(({ name }) => name));
    if (own.size < patterns.length) refuse(['patterns'], 'may hold each name once');
    const named = new Set([request, response].flatMap((actions) => Object.keys(actions ?? {})));
    const unused = patterns.findIndex(({ name }) => !named.has(name) && !named.has('all'));
    if (unused >= 0) refuse(['patterns', `${unused}`, 'name'], 'is in neither request nor response');
    for (const [direction, actions] of Object.entries({ request, response }))
      for (const kind of Object.keys(actions ?? {}))
        if (!own.has(kind) && !isPiiKind(kind))
          refuse([direction, kind], 'is no type that a rule may name, no group and no pattern');
  });

export const whereSchema = z
  .strictObject({
    geo: z.array(z.enum(geos)).min(1, 'must hold a place').max(geos.length).optional().meta({
      description: 'Calls are processed there for sure, by their address, body or the `geo` of the provider',
    }),
    store: z.literal(false).optional().meta({
      description:
        'Calls are not kept at the provider: no stored answers, batches, files, caches, work in the background',
    }),
  })
  .refine(({ geo, store }) => geo !== undefined || store !== undefined, 'must hold geo, store or both');

export const requireSchema = z.strictObject({
  guardrail: z
    .array(
      text(256).refine(
        (name) => readGuardrail(name) !== null,
        'must be the id or ARN of a guardrail, such as abc123xyz, also with its version, such as abc123xyz:3',
      ),
    )
    .min(1, 'must hold a guardrail')
    .max(50)
    .meta({ description: 'Calls ask for one of these guardrails of Bedrock; without a version for any but DRAFT' }),
});

export const checkSchema = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(512)
      .meta({ description: 'Gets the texts, signed as Standard Webhooks' }),
    request: z.boolean().default(true).meta({ description: 'It checks what agents send' }),
    response: z.boolean().default(false).meta({ description: 'It checks answers, which wait until they are whole' }),
    timeout_ms: z.int().min(50).max(10_000).default(1_000),
    on_failure: z.enum(['refuse', 'allow']).default('refuse').meta({
      description: 'What becomes of a call if the check is late, fails, or answers what cannot be read',
    }),
  })
  .refine(({ request, response }) => request || response, 'must check request, response or both');
