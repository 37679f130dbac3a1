/**
 * What a header is to the proxy, each name once for each thing that it is; all that ask about a header ask here. Names are in lower case,
 * a family by its pattern. Values are read where they are used.
 */
const table = {
  /** It is of the connection, not of the message (RFC 9110 section 7.6.1). */
  connection: { names: 'connection keep-alive te trailer transfer-encoding upgrade' },
  /** It is meant for this proxy, or told by servers before it. */
  ours: {
    names: `x-agent-name x-agent-token x-session-id x-compliance-tag host content-length expect cookie forwarded http2-settings
      max-forwards`,
    family: /^(?:x-forwarded-|proxy-)/,
  },
  /**
   * Only this proxy may write it in an answer: our own, cookies, commands that would make a web server in front of the proxy serve files of
   * its own, and which web pages may read answers.
   */
  answered: {
    names: 'set-cookie x-agent-id x-session-id x-event-id x-error-code x-accel-redirect x-sendfile x-reproxy-url',
    family: /^(?:proxy-|access-control-|x-agp-|x-budget-)/,
  },
  /** SDKs send a key in it, so that an agent token in it is known by its prefix. */
  key: { names: 'authorization x-api-key x-goog-api-key api-key' },
  /** It holds another credential of the caller. */
  credential: { names: 'x-goog-iam-authorization-token ocp-apim-subscription-key x-amz-security-token' },
  /** A client names its session in it by itself; the first one present counts. */
  session: { names: 'x-claude-code-session-id session-id thread-id x-agent-session-id x-litellm-session-id' },
  /** A provider names the request in its answer, by which it bills and helps. */
  requestId: { names: 'x-request-id request-id x-goog-request-id apim-request-id' },
  /** An answer leads on by it, and clients follow with the credentials that they showed the proxy. */
  link: { names: 'location content-location operation-location azure-asyncoperation' },
  /** Azure and gateways choose another model by it than the body's, or bring tools: whole families, but for names that are known not to. */
  model: {
    names: 'x-provider x-target-url x-base-url x-route x-routing-strategy',
    family:
      /^(?:(?:.*-)?model(?:-.*|s)?$|x-mcp-|azureml-model-|(?:x-portkey-|helicone-|x-litellm-|cf-aig-|x-bf-|x-openrouter-|x-vercel-ai-|ai-gateway-|x-kong-|x-ai-|x-llm-|x-envoy-ai-|x-truefoundry-|x-tfy-|x-requesty-|x-eden-|x-braintrust-|x-martian-|x-notdiamond-|x-unify-)(?!(?:api-?key|auth|authorization|trace(?:-id)?|span-(?:id|name)|parent-span-id|session-(?:id|name|path)|user(?:-id)?|request-(?:id|timeout)|metadata|timeout|stream-timeout|num-retries|cache.*|skip-cache|collect-log.*|event-id|property-.*|rate-?limit.*|moderations-enabled|omit-.*|zdr|title|categories|enable-.*log.*|customer-id|end-user-id|spend-logs-metadata|debug|custom-cost|max-attempts|retry-delay|backoff|step|parent-.*|stainless-.*)$))/,
  },
  /** A request asks for a dearer tier by it. */
  tier: {
    names: 'x-vertex-ai-llm-shared-request-type x-amzn-bedrock-service-tier x-amzn-bedrock-performanceconfig-latency',
  },
  /** An answer names the tier that served it, and beside it the latency. */
  served: { names: 'x-gemini-service-tier x-amzn-bedrock-service-tier' },
  latency: { names: 'x-amzn-bedrock-performanceconfig-latency' },
  /** A request asks for a guardrail of AWS by it: the identifier, then the version. */
  guardrail: { names: 'x-amzn-bedrock-guardrailidentifier x-amzn-bedrock-guardrailversion' },
  /** It is of the bytes of the caller's body, which are others once the proxy has changed it. */
  digest: { names: 'content-digest repr-digest digest content-md5 x-amz-content-sha256' },
  /** It asks for a partial or unchanged answer, which has no usage. */
  partial: { names: 'range if-range if-none-match if-modified-since' },
  /** Frameworks and Google's servers take method, path or host from it: the provider would serve another request than the one checked. */
  reroutes: {
    names: `x-original-url x-original-uri x-original-path x-original-host x-rewrite-url x-rewrite-uri x-override-url x-request-uri
      x-envoy-original-path x-envoy-original-method x-envoy-original-host x-host x-http-host-override`,
    family:
      /^(?:x-(?:http-)?method(?:-override)?|x-original-method|x-rewrite-method|\$?httpmethod|[_.[ ]method(?:\[\])?)$/i,
  },
} satisfies Record<string, { names: string; family?: RegExp }>;

type HeaderRole = keyof typeof table;

const roles = Object.entries(table).map(([role, { names, ...row }]) => ({
  role: role as HeaderRole,
  names: names.split(/\s+/),
  family: 'family' in row ? row.family : null,
}));

const lists = new Map(roles.map(({ role, names }) => [role, names]));

/** The names that a role lists, in its order. */
export const listHeaders = (role: HeaderRole): readonly string[] => lists.get(role) ?? [];

const known = new Map<string, ReadonlySet<HeaderRole>>();
const maxKnown = 1_000;
const maxName = 64;

/** All that a header is, by its name in lower case; mostly nothing. */
export function rolesOf(name: string): ReadonlySet<HeaderRole> {
  const found = known.get(name);
  if (found !== undefined) return found;
  const own = roles.filter(({ names, family }) => names.includes(name) || family?.test(name));
  const set = new Set(own.map(({ role }) => role));
  if (known.size < maxKnown && name.length <= maxName) known.set(name, set);
  return set;
}

/** Whether a parameter of the query makes a server take another method, as a header of that name would. */
export const isMethodOverride = (name: string): boolean => table.reroutes.family.test(name);

/** Whether a header may choose another model, or bring tools: some servers take `_` for `-`. @param name in any case */
export const choosesModel = (name: string): boolean => rolesOf(name.toLowerCase().replaceAll('_', '-')).has('model');
