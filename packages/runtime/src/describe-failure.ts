/**
 * What a person needs to hear of a failed connection or call. A failure of ours is told by its cause, and a name with several
 * addresses, which fails with one error for each and no message of its own, by the first.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return describeFailure(error.errors[0]);
  return error.cause instanceof Error ? describeFailure(error.cause) : error.message;
}
