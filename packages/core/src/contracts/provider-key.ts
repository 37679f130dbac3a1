import { z } from 'zod';
import { timestampSchema } from './timestamp.ts';

const providerKeySchema = z
  .strictObject({
    provider: z.string(),
    fingerprint: z.string().meta({
      description: "The first 8 hex digits of the key's SHA-256",
      example: '2bd806c9',
    }),
    source: z.string().meta({
      description: 'The variable that gave it, or the place in `PROVIDERS_FILE`',
      example: 'PROVIDER_OPENAI_API_KEY_FILE',
    }),
    proxy: z.string().meta({ description: 'The host of the proxy that had it last' }),
    first_seen_at: timestampSchema,
    last_seen_at: timestampSchema.meta({
      description: 'When a proxy last had it, to the minute: a key that none has any more can be revoked',
    }),
    last_used_at: timestampSchema.nullable().meta({ description: 'To the minute; null if never' }),
  })
  .meta({ id: 'ProviderKey', description: 'A key that proxies send to a provider, without the key' });

export const providerKeyListSchema = z.array(providerKeySchema);

export type ProviderKey = z.infer<typeof providerKeySchema>;
