import type { ErrorCode } from '@agp/core/errors';

/** Codes of the proxy's refusals: why, and the way out. */
const explanations: Partial<Record<ErrorCode, string>> = {
  malformed_request:
    'The request was not well formed; the answer said which part. Send it again as HTTP and the provider ask for.',
  cost_not_bounded:
    'With BUDGET=strict, no bound of its cost was found. Send a bound such as max_tokens, or take the cap away.',
  unknown_provider:
    'The path begins with no configured provider. Mend the base URL, or configure the provider in PROVIDERS_FILE.',
  unauthorized_agent:
    'Its agent token was missing, unknown, revoked or expired. Make one with "tokens create", or give the name back with "names release".',
  agent_blocked:
    'An operator blocked the agent. "agents unblock" lets it work again; "audit list" says who blocked it and why.',
  path_not_allowed: "The proxy's own key may not be used on this path. Add it to allow_paths of the provider.",
  session_of_another_agent: 'Its X-Session-Id belongs to another agent. Send an id of its own, or none.',
  request_too_large: 'Its body was larger than MAX_REQUEST_BYTES. Send less, or raise that.',
  body_too_slow: 'Its body took longer than MAX_BODY_SECONDS, or came too slowly. Look at the network of the agent.',
  share_used_up:
    'The agent had as many requests or bytes under way as one may have. Send fewer at once; it may be tried again at once.',
  agent_budget_exceeded:
    'The rest of its daily cap has no room for this request. Raise the cap with "budgets set <agent>", or wait until midnight UTC.',
  global_budget_exceeded:
    'The rest of the daily cap of all agents has no room for this request. Raise it with "budgets set --global", or wait until midnight UTC.',
  budget_held:
    'Running requests hold the rest of the cap. Try again when they have ended, or raise the cap with "budgets set".',
  rate_limited:
    'The agent made more requests than it may in a minute. Wait for the next, or raise the limit with "limits set".',
  too_many_registrations:
    'Too many new agents came from its address within a minute. Wait, or raise MAX_REGISTRATIONS_PER_MINUTE.',
  not_governed:
    'The proxy cannot record such a call (WebSocket, resumable upload, another form of answer). Use a plain HTTP call.',
  provider_unreachable: 'No connection to the provider was possible. Look at its address and the network of the proxy.',
  provider_timeout: 'The provider did not answer within UPSTREAM_TIMEOUT_SECONDS. Try again, or raise that.',
  status_unavailable:
    'Postgres could not be read, so nobody knew if the agent was blocked. See to Postgres; "status" shows it.',
  paused: 'All agents are paused. "pause off" ends it; "audit list" says who began it and why.',
  budget_unavailable: 'With BUDGET=strict and without Redis no cap can be kept. See to Redis; "status" shows it.',
  proxy_stopping: 'Its proxy was about to stop. Try again: another one answers.',
  proxy_overloaded:
    'The proxy had as many bytes or connections as it may hold. Start another, or raise MAX_BUFFERED_BYTES or MAX_CONNECTIONS.',
  method_not_allowed: 'The proxy does not forward this method. Use one that the answer listed in Allow.',
  cross_site_request: "A web page of another site sent it. Add the page's origin to ALLOWED_ORIGINS if it may.",
  foreign_host: 'It named a host that is not this proxy. Add the name to ALLOWED_HOSTS if it is.',
  internal: 'The proxy failed, not the request. Its log says why; search it for the request id.',
  audit_unavailable: 'With AUDIT=strict and a full queue no event could be kept. See to NATS; "status" shows it.',
};

/** The meaning of a refusal's code and the way out, in a sentence or two; null for a code that this version does not know. */
export function explainRefusal(code: string): string | null {
  return Object.hasOwn(explanations, code) ? (explanations[code as ErrorCode] ?? null) : null;
}
