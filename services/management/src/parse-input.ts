import { isUtf8 } from 'node:buffer';
import { ApiError } from '@agp/core/errors';
import express, { type RequestHandler } from 'express';
import type { z } from 'zod';

/** Beyond what any valid body needs, however its characters are escaped. */
const maxBodyBytes = 256 * 1024;

/**
 * Parses a query or a body.
 *
 * @param whole what an issue of the value as a whole is named
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

const parseJson = express.json({
  limit: maxBodyBytes,
  type: 'application/json',
  strict: false,
  // Or bytes that are none would be stored as replacement characters.
  verify: (_request, _response, bytes, encoding) => {
    if (/^utf-?8$/i.test(encoding ?? 'utf-8') && !isUtf8(bytes)) throw new TypeError('not UTF-8');
  },
});

function toBodyError(error: { status?: number; type?: string }): unknown {
  if (error.status === 413) return new ApiError('body_too_large');
  if (error.status === 415) return new ApiError('unsupported_media_type', 'unsupported charset or content encoding');
  if (error.type === 'entity.verify.failed') return new ApiError('invalid_parameter', 'body: not valid UTF-8');
  if (error.status === 400) return new ApiError('invalid_parameter', 'body: not valid JSON');
  return error;
}

/** Reads a JSON body into `request.body`; undefined where there is none. */
export const readJsonBody: RequestHandler = (request, response, next) => {
  // `is` gives null where there is no body; an empty one has no type either.
  if (request.headers['content-length'] !== '0' && request.is('application/json') === false)
    throw new ApiError('unsupported_media_type');
  parseJson(request, response, (error?: unknown) => {
    next(error === undefined ? undefined : toBodyError(error as { status?: number }));
  });
};
