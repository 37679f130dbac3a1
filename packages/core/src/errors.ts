const soon = { 'Retry-After': '1' };
const computed = null;
/** Whose it is, and whether it is anybody's, a team does not learn. */
const nameTaken = 'the name is taken or reserved: choose another';

/** Every error that a service answers with: the one table from code to status, message and headers. */
export const errorTable = {
  malformed_request: { status: 400, message: null },
  cost_not_bounded: { status: 400, message: null },
  unknown_provider: { status: 404, message: 'unknown provider' },
  unauthorized_agent: { status: 401, message: 'missing or invalid agent token' },
  agent_of_another: { status: 403, message: null },
  issuer_unavailable: { status: 503, message: null, headers: { 'Retry-After': '5' } },
  agent_blocked: { status: 403, message: 'agent blocked' },
  credential_path: { status: 403, message: null },
  hosted_agent: { status: 403, message: null },
  path_not_allowed: { status: 403, message: 'path not allowed' },
  policy_denied: { status: 403, message: null },
  session_of_another_agent: { status: 409, message: 'session belongs to another agent' },
  request_too_large: { status: 413, message: 'request body too large' },
  body_too_slow: { status: 408, message: 'request body not received in time' },
  share_used_up: { status: 429, message: null, headers: soon },
  agent_budget_exceeded: { status: 429, message: 'daily budget exceeded', headers: { 'Retry-After': computed } },
  global_budget_exceeded: {
    status: 429,
    message: 'global daily budget exceeded',
    headers: { 'Retry-After': computed },
  },
  budget_exceeded: { status: 429, message: 'budget exceeded', headers: { 'Retry-After': computed } },
  budget_held: { status: 429, message: 'daily budget held by requests in flight', headers: soon },
  rate_limited: { status: 429, message: 'rate limit exceeded', headers: { 'Retry-After': computed } },
  too_many_registrations: {
    status: 429,
    message: 'too many new agents from this address',
    headers: { 'Retry-After': computed },
  },
  upgrade_required: {
    status: 426,
    message: 'WebSocket is not governed yet: send plain HTTP requests',
    headers: { Connection: 'Upgrade, close', Upgrade: 'HTTP/1.1' },
  },
  not_governed: { status: 501, message: null },
  provider_unreachable: { status: 502, message: 'provider unreachable' },
  provider_timeout: { status: 504, message: 'provider timed out' },
  provider_key_unavailable: {
    status: 503,
    message: "the provider's key has ended and cannot be made anew yet: the proxy's log says why",
    headers: { 'Retry-After': '5' },
  },
  status_unavailable: { status: 503, message: 'agent status unavailable', headers: soon },
  paused: { status: 503, message: 'paused by operator', headers: soon },
  budget_unavailable: { status: 503, message: 'budget unavailable', headers: soon },
  labels_unavailable: { status: 503, message: 'labels of the session unavailable', headers: soon },
  proxy_stopping: { status: 503, message: 'proxy is stopping' },
  proxy_overloaded: { status: 503, message: 'proxy overloaded', headers: soon },
  audit_unavailable: { status: 503, message: 'audit unavailable', headers: soon },
  invalid_parameter: { status: 400, message: null },
  invalid_api_key: { status: 401, message: 'missing or invalid API key', headers: { 'WWW-Authenticate': 'Bearer' } },
  session_ended: { status: 401, message: 'signed out: sign in again', headers: { 'WWW-Authenticate': 'Bearer' } },
  sign_in_not_here: {
    status: 403,
    message: "signing in works at CONSOLE_ORIGIN and at this machine's own names, such as localhost",
  },
  no_role: { status: 403, message: 'the account has no role here' },
  sign_in_denied: { status: 403, message: 'the identity provider did not let you in' },
  sign_in_failed: { status: 403, message: "signing in with the identity provider did not work: see management's log" },
  needs_api_key: { status: 403, message: 'needs an API key: a session of the console does not suffice' },
  missing_scope: { status: 403, message: null },
  teams_not_served: {
    status: 409,
    message: 'the database has no role for teams: run create-roles, then migrate',
  },
  installation_only: { status: 403, message: 'not of the team that the key or session is for' },
  agent_not_found: { status: 404, message: 'agent not found' },
  event_not_found: { status: 404, message: 'event not found' },
  event_not_recorded: { status: 404, message: null },
  session_not_found: { status: 404, message: 'session not found' },
  console_session_not_found: { status: 404, message: 'console session not found' },
  key_not_found: { status: 404, message: 'key not found' },
  agent_token_not_found: { status: 404, message: 'agent token not found' },
  claimed_name_not_found: { status: 404, message: 'claimed name not found' },
  policy_not_found: { status: 404, message: 'policy not found' },
  budget_not_found: { status: 404, message: 'budget not found' },
  view_not_found: { status: 404, message: 'view not found' },
  too_many_views: { status: 409, message: 'there are 100 views already: remove one' },
  view_name_taken: { status: 409, message: 'another shared view has this name: remove it first, or take another name' },
  policy_name_taken: { status: 409, message: nameTaken },
  too_many_policies: { status: 409, message: 'there are 100 policies already' },
  budget_name_taken: { status: 409, message: nameTaken },
  too_many_budgets: { status: 409, message: 'there are 1,000 budgets already' },
  identity_not_found: { status: 404, message: 'identity not found' },
  identity_name_taken: { status: 409, message: 'name: another identity has it' },
  issuer_taken: { status: 409, message: 'issuer: another identity has it' },
  too_many_identities: { status: 409, message: 'there are 50 identities already' },
  name_of_another_agent: { status: 409, message: 'name: another agent, issuer or agent token has it' },
  agent_has_workload: { status: 409, message: null },
  rule_not_found: { status: 404, message: 'notification rule not found' },
  target_not_found: { status: 404, message: 'notification target not found' },
  alert_not_found: { status: 404, message: 'alert not found' },
  delivery_not_found: { status: 404, message: 'delivery not found' },
  rule_name_taken: { status: 409, message: 'another notification rule has this name' },
  too_many_rules: { status: 409, message: 'there are 200 notification rules already' },
  target_name_taken: { status: 409, message: 'another notification target has this name' },
  too_many_targets: { status: 409, message: 'there are 50 notification targets already' },
  target_in_use: { status: 409, message: null },
  not_dead: { status: 409, message: 'the message was not given up, or what came after it was delivered' },
  changed_meanwhile: {
    status: 409,
    message: 'somebody changed it meanwhile: read it again, and decide anew',
    headers: { ETag: computed },
  },
  name_of_workload: { status: 409, message: "the name is an adopted agent's own: release its workload's name first" },
  name_has_tokens: { status: 409, message: 'the name still has agent tokens: revoke them first' },
  bootstrap_key: { status: 409, message: 'the bootstrap key is set by MANAGEMENT_API_KEY and changed there' },
  key_expired: { status: 409, message: 'the key has expired' },
  base_edition: { status: 404, message: 'not available in the base edition' },
  not_found: { status: 404, message: 'not found' },
  body_too_large: { status: 413, message: 'request body too large' },
  unsupported_media_type: { status: 415, message: 'content type must be application/json' },
  too_many_failures: { status: 429, message: 'too many failed authentications', headers: { 'Retry-After': computed } },
  too_many_sign_ins: {
    status: 429,
    message: 'too many sign-ins and links of this key or person, or sign-ins with the provider from this network',
    headers: { 'Retry-After': computed },
  },
  live_stream_unavailable: {
    status: 503,
    message: 'live stream unavailable: NATS does not answer; GET /api/v1/events has what is recorded',
    headers: { 'Retry-After': '5' },
  },
  too_many_streams: { status: 503, message: 'too many open streams', headers: { 'Retry-After': '5' } },
  too_many_streams_of_key: {
    status: 429,
    message: 'too many open streams of this key',
    headers: { 'Retry-After': '5' },
  },
  too_many_reads: { status: 429, message: 'too many reads at once with this key', headers: soon },
  reservations_unavailable: { status: 503, message: 'budget reservations unavailable', headers: soon },
  storage_unavailable: { status: 503, message: 'storage unavailable', headers: soon },
  request_head_too_large: { status: 431, message: null },
  request_head_too_slow: { status: 408, message: 'request head not received in time' },
  expectation_not_supported: { status: 417, message: 'expectation not supported' },
  http_version_not_supported: { status: 505, message: 'HTTP version not supported' },
  foreign_host: { status: 421, message: 'host not allowed: it is no name of this service, nor in ALLOWED_HOSTS' },
  cross_site_request: { status: 403, message: 'cross-site request: its origin is not in ALLOWED_ORIGINS' },
  method_not_allowed: { status: 405, message: 'method not allowed', headers: { Allow: computed } },
  internal: { status: 500, message: 'internal error' },
} as const satisfies Record<string, ErrorRow>;

interface ErrorRow {
  status: number;
  message: string | null;
  /** Sent with the answer; null if each answer has a value of its own. */
  headers?: Readonly<Record<string, string | null>>;
}

export type ErrorCode = keyof typeof errorTable;

interface ErrorDetails {
  message?: string;
  /** The state that the caller did not know of; null if nothing is left. */
  current?: Readonly<Record<string, unknown>> | null;
  headers?: Readonly<Record<string, string>>;
}

export function headersOf(code: ErrorCode): Readonly<Record<string, string | null>> {
  return (errorTable[code] as ErrorRow).headers ?? {};
}

/** A repetition of the same request within a minute meets these again. */
const finalStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 409, 413, 421, 426, 501]);

/** True if the same request fails again soon: only a change, or the next day, makes it pass. */
export function isFinal({ code, status }: Pick<ApiError, 'code' | 'status'>): boolean {
  return (
    finalStatuses.has(status) ||
    code === 'agent_budget_exceeded' ||
    code === 'global_budget_exceeded' ||
    code === 'budget_exceeded'
  );
}

/** A failure that is answered to the caller. `message` is sent unchanged, so it never contains a secret. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly current: Readonly<Record<string, unknown>> | null | undefined;

  constructor(code: ErrorCode, details: string | ErrorDetails = {}) {
    const { message, headers, current }: ErrorDetails = typeof details === 'string' ? { message: details } : details;
    const row: ErrorRow = errorTable[code];
    super(message ?? row.message ?? code);
    this.name = 'ApiError';
    this.code = code;
    this.status = row.status;
    this.current = current;
    const fixed = Object.entries(row.headers ?? {}).filter((header): header is [string, string] => header[1] !== null);
    this.headers = { 'X-Error-Code': code, ...Object.fromEntries(fixed), ...headers };
  }
}

/** The configuration is invalid. The message names each variable at fault, never its value. */
export class ConfigError extends Error {
  readonly code = 'invalid_config';
}
