import type { ErrorCode } from '../errors.ts';

type Surface = 'console' | 'cli';

interface Explanation {
  why: string;
  wayOut: string;
}

type WayOut = string | Record<Surface, string>;

const raise = (what: string, command: string): Record<Surface, string> => ({
  console: `Send a lower max_tokens, raise ${what} under Budgets, or wait until midnight UTC.`,
  cli: `Send a lower max_tokens, raise ${what} with "${command}", or wait until midnight UTC.`,
});
const seeTo = (server: string): Record<Surface, string> => ({
  console: `See to ${server}; the screen Now shows its state.`,
  cli: `See to ${server}; "status" shows it.`,
});

const explanations: Partial<Record<ErrorCode, [why: string, wayOut: WayOut]>> = {
  malformed_request: [
    'The request was not well formed.',
    'Its answer says which part; send it as HTTP and the provider ask for.',
  ],
  cost_not_bounded: [
    'With BUDGET=strict, no bound of what it may cost was found.',
    'Send a bound such as max_tokens, or take the cap away.',
  ],
  unknown_provider: [
    'The path begins with no configured provider, as /v1/... does.',
    'Put the provider into the base URL of the SDK, as in /openai/v1, or configure it in PROVIDERS_FILE.',
  ],
  unauthorized_agent: [
    'Its agent token was missing, unknown, revoked or expired, or a workload’s token was refused; then its text says why.',
    {
      console:
        'A workload exchanges its token again. Else make a token under Keys and tokens, or release the name there.',
      cli: 'A workload exchanges its token again; else make one with "tokens create", or give the name back with "names release".',
    },
  ],
  agent_of_another: [
    'Its token names an agent that belongs to somebody else; its text says to whom.',
    {
      console: 'Give the agent to the issuer under Identities, or change the rule that makes the name.',
      cli: 'Give it to the issuer with "agents adopt", or change the rule that makes the name.',
    },
  ],
  issuer_unavailable: [
    'The keys of its token’s issuer could not be read, and it was signed by one that is not known yet.',
    'Its text says why: see to the issuer, or to IDENTITY_ALLOWED_HOSTS.',
  ],
  agent_blocked: [
    'Somebody blocked the agent.',
    {
      console: 'The agent’s page says who and why, and unblocks it.',
      cli: '"agents show" says who blocked it, why and since when; "agents unblock" lets it work again.',
    },
  ],
  credential_path: [
    'Its answer would hold a credential of the provider, for calls that nobody governs.',
    'Call the model itself; what hands out credentials is listed in docs/security.md.',
  ],
  hosted_agent: [
    'An agent that runs at the provider spends without a word here, and no block stops it.',
    'Run the agent itself, or set hosted_agents of the provider to "allow".',
  ],
  path_not_allowed: [
    "The proxy's own key may not be used on this path.",
    "Add the path to the provider's allow_paths.",
  ],
  policy_denied: ['A policy does not allow it.', 'Change the request, or ask for an exception.'],
  session_of_another_agent: ['Its X-Session-Id belongs to another agent.', 'Send an id of its own, or none.'],
  request_too_large: ['Its body was larger than MAX_REQUEST_BYTES.', 'Send less, or raise that.'],
  body_too_slow: [
    'Its body took longer than MAX_BODY_SECONDS, or came too slowly.',
    'Look at the network between the agent and the proxy.',
  ],
  share_used_up: [
    'The agent had as many requests or bytes under way as one may have.',
    'Send fewer at once; it may be tried again at once.',
  ],
  agent_budget_exceeded: [
    'The rest of its daily cap has no room for this request.',
    raise('its cap', 'budgets set <agent>'),
  ],
  global_budget_exceeded: [
    'The rest of the daily cap of all agents has no room for this request.',
    raise('that cap', 'budgets set --global'),
  ],
  budget_exceeded: [
    'A budget that counts it has no room for this request; its text names the budget and when it begins anew.',
    {
      console: 'Wait, or raise its amount under Budgets; a lower max_tokens may fit into one of money or tokens.',
      cli: 'Wait, or raise its amount; a lower max_tokens may fit into one of money or tokens. "budgets explain --agent NAME" shows what is left.',
    },
  ],
  budget_held: [
    'Running requests hold the rest of the cap or of a budget.',
    {
      console: 'Try again when they have ended, or raise the cap under Budgets.',
      cli: 'Try again when they have ended, or raise the cap with "budgets set".',
    },
  ],
  rate_limited: [
    'The agent made more requests in a minute than its limit here allows: the limit is not the provider’s.',
    {
      console: 'Wait for the next minute, or raise the limit on the agent’s page.',
      cli: 'Wait for the next minute, or raise the limit with "limits set".',
    },
  ],
  too_many_registrations: [
    'Too many new agents came from its address within a minute.',
    'Wait, or raise MAX_REGISTRATIONS_PER_MINUTE.',
  ],
  upgrade_required: ['It asked for a WebSocket, which the proxy cannot record.', 'Use a plain HTTP call.'],
  not_governed: [
    'The proxy cannot record such a call: a resumable upload, or another form of answer.',
    'Use a plain HTTP call.',
  ],
  provider_unreachable: [
    'No connection to the provider was possible.',
    'Look at its address and at the network of the proxy.',
  ],
  provider_timeout: ['The provider did not answer within UPSTREAM_TIMEOUT_SECONDS.', 'Try again, or raise that.'],
  status_unavailable: ['Postgres could not be read, so nobody knew if the agent was blocked.', seeTo('Postgres')],
  paused: [
    'All agents are paused.',
    {
      console: 'The banner says who paused them, why and since when, and resumes them.',
      cli: '"pause status" says who paused them, why and since when; "pause off" ends it.',
    },
  ],
  labels_unavailable: [
    'A policy puts back what labels of a stored conversation stand for, which Redis keeps.',
    seeTo('Redis'),
  ],
  budget_unavailable: ['With BUDGET=strict and without Redis no cap can be kept.', seeTo('Redis')],
  proxy_stopping: ['Its proxy was about to stop.', 'Try again: another one answers.'],
  proxy_overloaded: [
    'The proxy had as many bytes or connections as it may hold.',
    'Start another, or raise MAX_BUFFERED_BYTES or MAX_CONNECTIONS.',
  ],
  method_not_allowed: ['The proxy does not forward this method.', 'Use one that its answer listed in Allow.'],
  cross_site_request: ['A web page of another site sent it.', "Add the page's origin to ALLOWED_ORIGINS if it may."],
  foreign_host: ['It named a host that is not this proxy.', 'Add the name to ALLOWED_HOSTS if it is.'],
  internal: ['The proxy failed, not the request.', 'Its log says why: search it for the request id.'],
  provider_key_unavailable: [
    'AWS gave the proxy’s identity no key, or no credentials that sign, and those before had ended.',
    'The proxy’s log says why: see to the role, or to the way to what gives its credentials.',
  ],
  audit_unavailable: ['With AUDIT=strict and a full queue no event could be kept.', seeTo('NATS')],
};

const tryIt: Record<Surface, string> = {
  console: 'Take it out of the texts; the policy’s page shows what it finds in one.',
  cli: 'Take it out of the texts; "policies try -f FILE < text" shows what it finds in one.',
};

/** The way out of rules whose names begin so. */
const waysOut: readonly (readonly [rule: string, WayOut])[] = [
  ['pii.', tryIt],
  ['check.', 'Ask who runs the check of the policy what it found; if it failed, see docs/checks.md.'],
  [
    'where.geo',
    'Ask an address that processes there, send inference_geo, or set geo of the provider in PROVIDERS_FILE.',
  ],
  [
    'require.guardrail',
    'Ask for a guardrail that the policy names: guardrailConfig in Converse, X-Amzn-Bedrock-GuardrailIdentifier and -GuardrailVersion beside Invoke and chat completions.',
  ],
  ['where.store', 'Send "store": false, and none of what is kept: background work, batches, files, caches.'],
];

/**
 * What a refusal's code means, and the way out at a place; null for a code that this version does not know.
 * @param rule `policy rule: why`, if a policy refused it
 */
export function explainRefusal(code: string, place: Surface, rule: string | null = null): Explanation | null {
  const [, policy, name, cause] = /^(\S+) ([^\s:]+)(?:: (.*))?$/s.exec(rule ?? '') ?? [];
  const named = policy && `Policy ${policy}, rule ${name}${cause ? `: ${cause}` : ''}.`;
  const [why, usual] = (Object.hasOwn(explanations, code) && explanations[code as ErrorCode]) || [];
  if (why === undefined || usual === undefined) return null;
  const wayOut = waysOut.find(([begin]) => name?.startsWith(begin))?.[1] ?? usual;
  return { why: named || why, wayOut: typeof wayOut === 'string' ? wayOut : wayOut[place] };
}

export const knownRefusals: readonly string[] = Object.keys(explanations);
