import { ApiError } from '@agp/core/errors';
import type { z } from 'zod';

/**
 * Parses a query or a body.
 *
 * @param whole name for an issue with the value as a whole
 * @throws ApiError naming the first field at fault
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, whole: string): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.join('.');
  // A key may be as long as the body and hold anything.
  const name = String(field || whole)
    .slice(0, 64)
    .toWellFormed();
  throw new ApiError(
    'invalid_parameter',
    `${name}: ${issue?.code === 'unrecognized_keys' ? 'unknown field' : issue?.message}`,
  );
}

/**
 * Parses a query. Parameters that the schema does not know are ignored.
 *
 * @throws ApiError naming the first field at fault
 */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: Record<string, unknown>,
): z.infer<Schema> {
  for (const name of Object.keys(schema.shape))
    if (Array.isArray(query[name])) throw new ApiError('invalid_parameter', `${name}: given more than once`);
  return parseInput(schema, query, 'query');
}
