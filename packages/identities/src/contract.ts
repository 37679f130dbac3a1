import { timestampSchema } from '@agp/core/contracts';
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

export type StoredIdentity = z.infer<typeof storedIdentitySchema>;
