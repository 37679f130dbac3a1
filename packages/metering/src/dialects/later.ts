import { asObject, asText, type JsonObject } from '../json/members.ts';
import type { Operation } from './operation.ts';

/** States, of any vendor and in lower case, in which a job goes on. */
const running = new Set(
  `created validating queued pending running in_progress processing finalizing cancelling
  cancellation_requested`.split(/\s+/),
);

export const isRunning = (state: unknown): boolean => typeof state === 'string' && running.has(state.toLowerCase());

/**
 * Shows what an operation started in the background, and bills it once it is done.
 * @param target has the id as its first group @param isOfBackground false if only the earlier request can tell
 */
export function describeLater(
  operation: Operation,
  target: RegExp,
  isOfBackground: (body: JsonObject) => boolean,
): Operation {
  return {
    ...operation,
    name: `${operation.name}.get`,
    bounds: undefined,
    settlesBackground: true,
    runsModel: false,
    billedOnce: (path) => target.exec(path)?.[1] ?? null,
    readAnswer(value) {
      const body = asObject(value);
      const reading = { ...operation.readAnswer(body), isOfBackground: isOfBackground(body) };
      if (isRunning(body.status)) return { ...reading, usage: null };
      const hasFailed = asText(body.status)?.toLowerCase() === 'failed' && reading.usage === null;
      return hasFailed ? { ...reading, isUnbilled: true } : reading;
    },
  };
}
