/** The local stack cannot start, for a reason that the user can change: shown without a stack trace. */
export class StartError extends Error {
  readonly code: string = 'cannot_start';
}
