import { consoleRoleSchema, type consoleSessionListSchema } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { ConsoleSessionRow } from '@agp/db';
import type { z } from 'zod';

/** A session without its digests. */
export function presentConsoleSession(row: ConsoleSessionRow): z.infer<typeof consoleSessionListSchema>[number] {
  return {
    id: toPublicId('con', row.id),
    kind: row.key_sha256 === null ? 'oidc' : 'api_key',
    name: row.name,
    role: consoleRoleSchema.parse(row.role),
    source_ip: row.source_ip,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}
