import { toLineText } from '@agp/core/text';
import { hideCredentials } from '@agp/pii/hide-credentials';

/**
 * What a person needs to hear of a failed connection or call. A failure of ours is told by its cause, and a name with several
 * addresses, which fails with one error for each and no message of its own, by the first. One line, without credentials that it may quote.
 */
export function describeFailure(error: unknown): string {
  return toLineText(hideCredentials(findMessage(error).slice(0, 4_000)));
}

function findMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return findMessage(error.errors[0]);
  return error.cause instanceof Error ? findMessage(error.cause) : error.message;
}
