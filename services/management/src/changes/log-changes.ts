import type { Logger } from '@agp/runtime';
import type { RequestHandler } from 'express';
import { type Caller, describeCaller } from '../keys/caller.ts';

/** Logs one line for each change; the audit log has its details. Ids of keys are not secret. */
export function logChanges(logger: Logger): RequestHandler {
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.on('finish', () => {
        const { route, caller, requestId } = response.locals as { route?: string; caller?: Caller; requestId?: string };
        const status = response.statusCode;
        if (status >= 400 || caller === undefined) return;
        logger.info({ requestId, method: request.method, route, status, ...describeCaller(caller) }, 'change was made');
      });
    }
    next();
  };
}
