import { toLineText } from '@agp/core/text';
import { hideCredentials } from '@agp/pii/hide-credentials';

/**
 * Describes a failed connection or call in one line, without credentials: the message of the innermost cause. A host name with several
 * addresses fails with one error for each and no message of its own; the first is used.
 */
export function describeFailure(error: unknown): string {
  return toLineText(hideCredentials(findMessage(error).slice(0, 4_000)));
}

function findMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return findMessage(error.errors[0]);
  return error.cause instanceof Error ? findMessage(error.cause) : error.message;
}
