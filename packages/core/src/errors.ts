/**
 * Every error that a service answers with: its status, and its message where the message is fixed
 * (interface.md section 7, decisions.md sections 2 and 5). The one table from code to status.
 */
export const errorTable = {
  // the proxy's refusals
  malformed_request: { status: 400, message: null },
  cost_not_bounded: { status: 400, message: null },
  unknown_provider: { status: 404, message: 'unknown provider' },
  unauthorized_agent: { status: 401, message: 'missing or invalid agent token' },
  agent_blocked: { status: 403, message: 'agent blocked' },
  path_not_allowed: { status: 403, message: 'path not allowed' },
  session_of_another_agent: { status: 409, message: 'session belongs to another agent' },
  request_too_large: { status: 413, message: 'request body too large' },
  body_too_slow: { status: 408, message: 'request body not received in time' },
  share_used_up: { status: 429, message: null },
  agent_budget_exceeded: { status: 429, message: 'daily budget exceeded' },
  global_budget_exceeded: { status: 429, message: 'global daily budget exceeded' },
  budget_held: { status: 429, message: 'daily budget held by requests in flight' },
  rate_limited: { status: 429, message: 'rate limit exceeded' },
  too_many_registrations: { status: 429, message: 'too many new agents from this address' },
  not_governed: { status: 501, message: null },
  provider_unreachable: { status: 502, message: 'provider unreachable' },
  provider_timeout: { status: 504, message: 'provider timed out' },
  status_unavailable: { status: 503, message: 'agent status unavailable' },
  paused: { status: 503, message: 'paused by operator' },
  budget_unavailable: { status: 503, message: 'budget unavailable' },
  proxy_stopping: { status: 503, message: 'proxy is stopping' },
  proxy_overloaded: { status: 503, message: 'proxy overloaded' },
  audit_unavailable: { status: 503, message: 'audit unavailable' },
  // the management API
  invalid_parameter: { status: 400, message: null },
  invalid_api_key: { status: 401, message: 'missing or invalid API key' },
  missing_scope: { status: 403, message: null },
  agent_not_found: { status: 404, message: 'agent not found' },
  event_not_found: { status: 404, message: 'event not found' },
  session_not_found: { status: 404, message: 'session not found' },
  key_not_found: { status: 404, message: 'key not found' },
  agent_token_not_found: { status: 404, message: 'agent token not found' },
  claimed_name_not_found: { status: 404, message: 'claimed name not found' },
  name_has_tokens: { status: 409, message: 'the name still has agent tokens: revoke them first' },
  bootstrap_key: { status: 409, message: 'the bootstrap key is set by MANAGEMENT_API_KEY and changed there' },
  key_expired: { status: 409, message: 'the key has expired' },
  base_edition: { status: 404, message: 'not available in the base edition' },
  not_found: { status: 404, message: 'not found' },
  body_too_large: { status: 413, message: 'request body too large' },
  unsupported_media_type: { status: 415, message: 'content type must be application/json' },
  too_many_failures: { status: 429, message: 'too many failed authentications' },
  too_many_streams: { status: 503, message: 'too many open streams' },
  too_many_streams_of_key: { status: 429, message: 'too many open streams of this key' },
  too_many_reads: { status: 429, message: 'too many reads at once with this key' },
  reservations_unavailable: { status: 503, message: 'budget reservations unavailable' },
  storage_unavailable: { status: 503, message: 'storage unavailable' },
  // both
  foreign_host: { status: 421, message: 'host not allowed: it is no name of this service, nor in ALLOWED_HOSTS' },
  cross_site_request: { status: 403, message: 'cross-site request: its origin is not in ALLOWED_ORIGINS' },
  method_not_allowed: { status: 405, message: 'method not allowed' },
  internal: { status: 500, message: 'internal error' },
} as const satisfies Record<string, { status: number; message: string | null }>;

export type ErrorCode = keyof typeof errorTable;

/** A failure that the caller is told about. `message` is shown as it is, so it never holds a secret. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param code the row of {@link errorTable}
   * @param message what the caller reads; needed where the row has no fixed message
   * @param headers sent with the answer, for example `Retry-After`
   */
  constructor(code: ErrorCode, message?: string, headers: Record<string, string> = {}) {
    const row = errorTable[code];
    super(message ?? row.message ?? code);
    this.name = 'ApiError';
    this.code = code;
    this.status = row.status;
    this.headers = headers;
  }
}
