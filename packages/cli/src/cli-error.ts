/** What ends a command, told to the user in one line. The message says what to do about it, and never holds a key. */
export class CliError extends Error {
  readonly code: string = 'failed';
  /** 1: refused or failed; 2: wrong usage. */
  readonly exitCode: 1 | 2 = 1;
}

/** The command was called in a way that makes no sense. */
export class UsageError extends CliError {
  override readonly code = 'usage';
  override readonly exitCode = 2;
}

/** The API refused, or could not be reached. */
export class ApiFailure extends CliError {
  override readonly code = 'api_failure';
  /** Null where there was no answer. */
  readonly status: number | null;
  /** What `Retry-After` asked for, in seconds. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, status: number | null, retryAfterSeconds: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
