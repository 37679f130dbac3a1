import { z } from 'zod';
import { isStorableText } from '../events/event-fields.ts';
import type { SecretPrefix } from './own-secret.ts';
import { teamSchema } from './team.ts';
import { timestampSchema } from './timestamp.ts';

/** The name of the key that the configuration sets; no other key may have it. */
export const bootstrapKeyName = 'bootstrap';

export const scopeSchema = z.enum(['read', 'write', 'admin']).meta({
  id: 'Scope',
  description: '`read`: every GET but keys; `write`: changing agents; `admin`: keys, and all of the others',
});

export const apiKeySchema = z
  .strictObject({
    id: z.string().startsWith('key_'),
    name: z.string(),
    scopes: z.array(scopeSchema),
    match: teamSchema.nullable().meta({ description: 'Whose view it has; null for the whole installation' }),
    created_at: timestampSchema,
    expires_at: timestampSchema.nullable(),
    rotated_at: timestampSchema.nullable().meta({ description: 'When it got its present secret; null at first' }),
    last_used_at: timestampSchema.nullable().meta({ description: 'Within two minutes; null before the first use' }),
    previous_secret_expires_at: timestampSchema.nullable().meta({
      description: 'While a rotated key is known by two secrets: when the old one stops working',
    }),
  })
  .meta({ id: 'ApiKey', description: 'A key to this API, without its secret' });

export const apiKeyListSchema = z.array(apiKeySchema);

export const createdApiKeySchema = apiKeySchema
  .extend({
    secret: z
      .string()
      .startsWith('agm_' satisfies SecretPrefix)
      .meta({ description: 'Shown this once; only its digest is kept' }),
  })
  .meta({ id: 'CreatedApiKey' });

/** A week, in seconds: the longest that a rotated key's old secret may work on. */
const maxOverlapSeconds = 604_800;

export const keyRotationSchema = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(maxOverlapSeconds)
      .default(0)
      .meta({ description: 'How long the old secret still works after the rotation' }),
  })
  .default({ overlap_seconds: 0 })
  .meta({ id: 'KeyRotation' });

export const apiKeyInputSchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(128)
      .refine(isStorableText, 'must not hold NUL or a lone surrogate')
      .refine((name) => name !== bootstrapKeyName, `must not be ${bootstrapKeyName}`),
    scopes: z
      .array(scopeSchema)
      .min(1)
      .max(3)
      .refine((scopes) => new Set(scopes).size === scopes.length, 'must not repeat a scope')
      .meta({ uniqueItems: true }),
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .meta({ description: 'When the key stops working; never, if absent or null' }),
    match: teamSchema
      .nullable()
      .optional()
      .meta({ description: 'Whose view it has, for good; of the whole installation, if absent or null' }),
  })
  .meta({ id: 'ApiKeyInput' });

export type Scope = z.infer<typeof scopeSchema>;
export type ApiKey = z.infer<typeof apiKeySchema>;
