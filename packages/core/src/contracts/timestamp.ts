import { z } from 'zod';

/** A point in time as every answer writes it: UTC, ISO 8601, milliseconds, `Z`. */
export const timestampSchema = z.iso.datetime({ precision: 3 }).meta({
  description: 'UTC, ISO 8601 with milliseconds',
  example: '2026-11-20T09:30:00.000Z',
});

/** A point in time as a caller may write it: ISO 8601 with any offset, or a day, which means its first instant in UTC. */
export const timeParameterSchema = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], { error: 'must be an ISO 8601 time or date' })
  .transform((value) => new Date(value))
  .meta({ example: '2026-11-20T00:00:00Z' });
