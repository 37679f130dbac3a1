import { ApiError } from '@agp/core/errors';
import { JsonError, parseJson } from '@agp/core/json';
import express, { type Request, type RequestHandler } from 'express';

/** More than any valid body needs, even with every character escaped. */
const maxBodyBytes = 256 * 1024;

const unread = 'unsupported charset or content encoding';

function isInUtf8(request: Request): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

function toBodyError(error: { status?: number }): unknown {
  if (error.status === 413) return new ApiError('body_too_large');
  if (error.status === 415) return new ApiError('unsupported_media_type', unread);
  if (error.status === 400) return new ApiError('invalid_parameter', 'body: not valid JSON');
  return error;
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  let text: string;
  try {
    // Fatal: else invalid bytes would be stored as replacement characters.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError('invalid_parameter', 'body: not valid UTF-8');
  }
  try {
    return parseJson(text);
  } catch (error) {
    const isTooDeep = error instanceof JsonError && error.code === 'too_deep';
    throw new ApiError('invalid_parameter', isTooDeep ? 'body: nests too deep' : 'body: not valid JSON');
  }
}

/** Reads a JSON body of at most so many bytes into `request.body`; undefined without a body. */
export function readJsonBodyUpTo(limit: number): RequestHandler {
  // Not `express.json`, which uses the runtime's own parser.
  const readBytes = express.raw({ limit, type: 'application/json' });
  return (request, response, next) => {
    // `is` gives null where there is no body; an empty one has no type either.
    if (request.headers['content-length'] !== '0' && request.is('application/json') === false)
      throw new ApiError('unsupported_media_type');
    if (!isInUtf8(request)) throw new ApiError('unsupported_media_type', unread);
    readBytes(request, response, (error?: unknown) => {
      if (error !== undefined) return next(toBodyError(error as { status?: number }));
      try {
        if (Buffer.isBuffer(request.body)) request.body = parseBody(request.body);
        next();
      } catch (fault) {
        next(fault);
      }
    });
  };
}

/** Reads a body of the API's. */
export const readJsonBody = readJsonBodyUpTo(maxBodyBytes);
