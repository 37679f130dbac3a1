/** A command was called wrongly: it ends with 2, and with its help behind the message. */
export class UsageError extends Error {
  readonly code = 'usage';
}
