import { ApiError } from '@agp/core/errors';
import { toLineText } from '@agp/core/text';
import { z } from 'zod';

const noParameters = z.object({});

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
  throw new ApiError('invalid_parameter', `${name}: ${issue && describe(issue)}`);
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'unknown field';
  if (issue.code !== 'invalid_value') return issue.message;
  return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
}

/** Names of parameters for a message: a few, each cut, without control characters. */
function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => toLineText(name, 64));
  return `${shown.join(', ')}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ''}`;
}

/**
 * Parses a query: every parameter is known, and given once.
 *
 * @param schema absent where there are no parameters
 * @throws ApiError naming the parameters at fault
 */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema | undefined,
  query: Record<string, unknown>,
): z.infer<Schema> {
  const known = Object.keys(schema?.shape ?? {});
  const unknown = Object.keys(query).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const exist = known.length === 0 ? 'there are none here' : `those that exist: ${known.join(', ')}`;
    const what = unknown.length === 1 ? 'unknown parameter' : 'unknown parameters';
    throw new ApiError('invalid_parameter', `${listNames(unknown)}: ${what}; ${exist}`);
  }
  const repeated = known.find((name) => Array.isArray(query[name]));
  if (repeated !== undefined) throw new ApiError('invalid_parameter', `${repeated}: given more than once`);
  return parseInput(schema ?? noParameters, query, 'query') as z.infer<Schema>;
}
