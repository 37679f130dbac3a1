/** Why the proxy refused, and what somebody at this console can do about it. */
export interface Explanation {
  why: string;
  wayOut: string;
}

const explanations: Record<string, Explanation> = {
  malformed_request: {
    why: 'The request was not well formed.',
    wayOut: 'Its answer says which part; send it as HTTP and the provider ask for.',
  },
  cost_not_bounded: {
    why: 'With BUDGET=strict, no bound of what it may cost was found.',
    wayOut: 'Send a bound such as max_tokens, or take the cap away.',
  },
  unknown_provider: {
    why: 'The path begins with no configured provider.',
    wayOut: 'Correct the base URL of the SDK, or configure the provider in PROVIDERS_FILE.',
  },
  unauthorized_agent: {
    why: 'Its agent token was missing, unknown, revoked or expired.',
    wayOut: 'Make a token under Keys and tokens, or release the name there.',
  },
  agent_blocked: {
    why: 'Somebody blocked the agent.',
    wayOut: 'The agent’s page says who and why, and unblocks it.',
  },
  path_not_allowed: {
    why: 'The proxy’s own key may not be used on this path.',
    wayOut: 'Add the path to the provider’s allow_paths.',
  },
  session_of_another_agent: {
    why: 'Its X-Session-Id belongs to another agent.',
    wayOut: 'Send an id of its own, or none.',
  },
  request_too_large: { why: 'Its body was larger than MAX_REQUEST_BYTES.', wayOut: 'Send less, or raise that.' },
  body_too_slow: {
    why: 'Its body took longer than MAX_BODY_SECONDS.',
    wayOut: 'Look at the network between the agent and the proxy.',
  },
  share_used_up: {
    why: 'The agent had as many requests or bytes under way as one may have.',
    wayOut: 'Send fewer at once; it may be tried again at once.',
  },
  agent_budget_exceeded: {
    why: 'The rest of its daily cap has no room for this request.',
    wayOut: 'Raise its cap under Budgets, or wait until midnight UTC.',
  },
  global_budget_exceeded: {
    why: 'The rest of the daily cap of all agents has no room for this request.',
    wayOut: 'Raise that cap under Budgets, or wait until midnight UTC.',
  },
  budget_held: {
    why: 'Running requests hold the rest of the cap.',
    wayOut: 'Try again when they have ended, or raise the cap under Budgets.',
  },
  rate_limited: {
    why: 'The agent made more requests than it may in a minute.',
    wayOut: 'Wait for the next minute, or raise the limit on the agent’s page.',
  },
  too_many_registrations: {
    why: 'Too many new agents came from its address within a minute.',
    wayOut: 'Wait, or raise MAX_REGISTRATIONS_PER_MINUTE.',
  },
  not_governed: {
    why: 'The proxy cannot record such a call: a WebSocket, a resumable upload, or another form of answer.',
    wayOut: 'Use a plain HTTP call.',
  },
  provider_unreachable: {
    why: 'No connection to the provider was possible.',
    wayOut: 'Look at its address and at the network of the proxy.',
  },
  provider_timeout: {
    why: 'The provider did not answer within UPSTREAM_TIMEOUT_SECONDS.',
    wayOut: 'Try again, or raise that.',
  },
  status_unavailable: {
    why: 'Postgres could not be read, so nobody knew if the agent was blocked.',
    wayOut: 'See to Postgres; the screen Now shows its state.',
  },
  paused: { why: 'All agents are paused.', wayOut: 'Resume them; the audit log says who paused them and why.' },
  budget_unavailable: {
    why: 'With BUDGET=strict and without Redis no cap can be kept.',
    wayOut: 'See to Redis; the screen Now shows its state.',
  },
  proxy_stopping: { why: 'Its proxy was about to stop.', wayOut: 'Try again: another one answers.' },
  proxy_overloaded: {
    why: 'The proxy had as many bytes or connections as it may hold.',
    wayOut: 'Start another, or raise MAX_BUFFERED_BYTES or MAX_CONNECTIONS.',
  },
  method_not_allowed: {
    why: 'The proxy does not forward this method.',
    wayOut: 'Use one that its answer listed in Allow.',
  },
  cross_site_request: {
    why: 'A web page of another site sent it.',
    wayOut: 'Add the page’s origin to ALLOWED_ORIGINS if it may.',
  },
  foreign_host: {
    why: 'It named a host that is not this proxy.',
    wayOut: 'Add the name to ALLOWED_HOSTS if it is.',
  },
  internal: {
    why: 'The proxy failed, not the request.',
    wayOut: 'Its log says why: search it for the request id.',
  },
  audit_unavailable: {
    why: 'With AUDIT=strict and a full queue no event could be kept.',
    wayOut: 'See to NATS; the screen Now shows its state.',
  },
};

/** @returns what a refusal's code means; for one that this version does not know, that it does not */
export function explainRefusal(code: string): Explanation {
  return Object.hasOwn(explanations, code)
    ? (explanations[code] as Explanation)
    : {
        why: 'This version of the console does not know this code.',
        wayOut: 'The documentation of the proxy lists them.',
      };
}

/** The codes that have an explanation. */
export const knownRefusals: readonly string[] = Object.keys(explanations);
