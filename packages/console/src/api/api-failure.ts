import type { ListedAuditEntry } from '@agp/core/contracts';

type Parts = Pick<ApiFailure, 'status' | 'code' | 'requestId' | 'call'> & Partial<Pick<ApiFailure, 'current'>>;

/** An API call that failed: what the server said, and the id that finds it in the server's log. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** Null if no answer came. */
  readonly status: number | null;
  /** The machine-readable code; null if the answer has none. */
  readonly code: string | null;
  readonly requestId: string | null;
  /** Such as `GET /api/v1/agents`. */
  readonly call: string;
  /** If somebody changed it meanwhile: what it is now, null if nothing is left, and what `If-Match` takes for that. */
  readonly current: { state: ListedAuditEntry['before']; version: string } | null;

  constructor(message: string, parts: Parts) {
    super(message);
    this.current = parts.current ?? null;
    this.status = parts.status;
    this.code = parts.code;
    this.requestId = parts.requestId;
    this.call = parts.call;
  }
}

/** Longest message that is shown: it may come from something that is not our server. */
const longestMessage = 500;

function messageOf(body: unknown, status: number): string {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof error === 'string' && error !== ''
    ? error.slice(0, longestMessage)
    : `The server answered with status ${status}.`;
}

/** @param body of the answer, as far as it could be read */
export function toFailure(call: string, response: Response, body: unknown): ApiFailure {
  return new ApiFailure(messageOf(body, response.status), {
    call,
    status: response.status,
    code: response.headers.get('x-error-code'),
    requestId: response.headers.get('x-request-id'),
    current:
      typeof body === 'object' && body !== null && 'current' in body
        ? {
            state: body.current as ListedAuditEntry['before'],
            version: response.headers.get('etag')?.replaceAll('"', '') ?? '',
          }
        : null,
  });
}

/** A call that got no answer. */
export function toSilence(call: string): ApiFailure {
  return new ApiFailure('The management API does not answer. Is it running, and can this browser reach it?', {
    call,
    status: null,
    code: null,
    requestId: null,
  });
}

/** True if the session has ended or never was: then the page asks to sign in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 401;
}
