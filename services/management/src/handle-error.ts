import type { ErrorBody } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { OutOfTeamError, ShareExceededError, StorageUnavailableError } from '@agp/db';
import type { Logger } from '@agp/runtime';
import type { ErrorRequestHandler } from 'express';
import { type Caller, describeCaller } from './keys.ts';

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StorageUnavailableError) {
    return new ApiError('storage_unavailable');
  }
  if (error instanceof OutOfTeamError) return new ApiError('installation_only');
  if (error instanceof ShareExceededError) return new ApiError('too_many_reads');
  return new ApiError('internal');
}

/** Without its message, which may repeat what a caller sent. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return { name: error.name, code: (error as { code?: unknown }).code, frames: frames.map((line) => line.trim()) };
}

const callerLeft = new Set<unknown>(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE']);

/** The one place where an error becomes an answer. Errors that are not the caller's fault are logged. */
export function handleError(logger: Logger): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const { code, status, message, headers, current } = toApiError(error);
    if (status >= 500 && !callerLeft.has((error as { code?: unknown })?.code)) {
      const cause = error instanceof StorageUnavailableError ? error.cause : error;
      const level = status === 500 ? 'error' : 'warn';
      const { route, caller, requestId } = response.locals as { route?: string; caller?: Caller; requestId?: string };
      const fields = { requestId, method: request.method, route, status, code, ...describeCaller(caller) };
      logger[level]({ ...fields, cause: describe(cause) }, 'request failed');
    }
    if (response.headersSent) {
      // A list that breaks off must not look complete: the connection ends without the last chunk.
      response.destroy();
      return;
    }
    response
      .status(status)
      .set(headers)
      .json({ error: message, ...(current !== undefined && { current }) } satisfies ErrorBody);
  };
}
