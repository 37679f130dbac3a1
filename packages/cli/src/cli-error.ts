/** Ends a command with a one-line message that says what to do and never contains a key. */
export class CliError extends Error {
  readonly code: string = 'failed';
  /** 1: refused or failed; 2: wrong usage; 3: nothing is left to check. */
  readonly exitCode: 1 | 2 | 3 = 1;
}

/** Retention left only the last hash of a chain. */
export class NothingLeft extends CliError {
  override readonly exitCode = 3;
}

/** The command was called with wrong arguments. */
export class UsageError extends CliError {
  override readonly code = 'usage';
  override readonly exitCode = 2;
}

/** The API refused, or could not be reached. */
export class ApiFailure extends CliError {
  override readonly code = 'api_failure';
  /** Null if there was no answer. */
  readonly status: number | null;
  /** The value of `Retry-After`, in seconds. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, status: number | null, retryAfterSeconds: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Whether trying again may help: a wrong key stays wrong, and a server that is away may come back. */
  get mayPass(): boolean {
    return this.status === null || this.status >= 500 || this.status === 429;
  }
}
