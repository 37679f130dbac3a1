import type { EventDetail } from '../contracts/index.ts';
import type { FailureCause } from '../events/index.ts';

interface Ended {
  outcome?: string | null | undefined;
  http_status?: number | null | undefined;
  failure?: string | null | undefined;
}

/** What counts as failed: an outcome, with an answer of that status or a higher one. */
export const failedEndings = [
  { outcome: 'failed', leastStatus: null },
  { outcome: 'completed', leastStatus: 400 },
] as const;

export function isFailed({ outcome, http_status: status }: Ended): boolean {
  return failedEndings.some((ending) => ending.outcome === outcome && (status ?? 0) >= (ending.leastStatus ?? 0));
}

/** How a thing is to be looked at. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain';

interface Result {
  text: string;
  /** The same for a narrow column. */
  short: string;
  tone: Tone;
}

/** Causes that would read as if the proxy of agents had failed or refused. */
const plainer: Readonly<Record<string, string>> = { refused: 'connection refused', proxy: 'egress proxy' };

/** How a request ended, in a word or two, and how it is to be looked at: the same words on every screen and in every line. */
export function describeOutcome({ outcome, http_status, failure }: Ended): Result {
  const result = (text: string, tone: Result['tone'], short = text): Result => ({ text, short, tone });
  if (!outcome) return result('not known', 'plain', '-');
  const error = typeof http_status === 'number' && http_status >= 400 ? String(http_status) : null;
  if (outcome === 'completed')
    return error === null ? result('completed', 'good', 'ok') : result(`answered ${error}`, 'bad', error);
  const why = (failure && (plainer[failure] ?? failure)) ?? error;
  if (why) return result(`${outcome}: ${why}`, outcome === 'failed' ? 'bad' : 'warn', why);
  if (outcome === 'failed' && typeof http_status === 'number') return result('failed midway', 'bad', 'midway');
  return result(outcome, outcome === 'failed' || outcome === 'lost' ? 'bad' : 'warn');
}

const theirs = 'Neither the agent nor the proxy is at fault.';

const hints: Record<number, string> = {
  400: 'The provider did not take the request as it was: compare it with what its documentation asks for.',
  401: 'The provider did not take the API key: the one that the agent sent, or that the proxy has for this provider.',
  403: 'The API key may not do this there.',
  404: 'The provider knows no such path or model.',
  413: 'The request was too large for the provider.',
  429: "The limit of the account at the provider is reached, which is not the proxy's: wait, send less, or ask the provider for more.",
  500: 'The provider failed. Try again; if other agents get answers from it (see Providers), what this one asks makes it fail, else look at its status page.',
  503: `The provider is overloaded or out of service. ${theirs} Wait and try again, or look at its status page.`,
  529: `The provider is overloaded by all its customers together. ${theirs} Wait and try again, or look at its status page.`,
};

const network = "Look at the provider's address and at the network of the proxy.";
const repeats = "Try again; if it repeats, look at the provider's status page and at the network of the proxy.";

const causes: Record<FailureCause, [what: string, todo: string]> = {
  name_not_found: ["the provider's name was not found", network],
  refused: ['the connection was refused', network],
  unreachable: ["no way led to the provider's address", network],
  connect_timeout: ['no connection was made in time', network],
  tls: [
    'no TLS connection was made',
    "Look at the provider's certificate, and at what stands between it and the proxy.",
  ],
  reset: ['the connection was closed by the provider, or by something between it and the proxy', repeats],
  timeout: ['the provider was silent for longer than UPSTREAM_TIMEOUT_SECONDS', 'Try again, or raise that.'],
  protocol: ['what came is not valid HTTP', repeats],
  proxy: [
    'the egress proxy gave no connection',
    "The proxy's log names it, what it answered and where its address is set: look at its rules, its password and NO_PROXY.",
  ],
  other: ['the connection failed', "The proxy's log says how: search it for the request id."],
};

const notStored = 'The text of the error is not stored; the agent has it.';

type Explained = Pick<EventDetail, 'outcome' | 'http_status' | 'failure' | 'usage_source' | 'cost_usd'> &
  Partial<Pick<EventDetail, 'path' | 'decision'>>;

const noVersion = 'Its path has no version: most base URLs end with one, as in /openai/v1.';

function explainCost({ usage_source: source, cost_usd: usd }: Explained): string {
  if (usd === 0) return 'The call cost nothing.';
  return source === 'estimated'
    ? 'The provider gave no figures, so the cost is an estimate.'
    : "The cost is what the provider's figures say.";
}

/** What happened, whose fault it is and what to do; null for a call that did not fail. */
function explainEnd({ outcome, http_status: status, failure, path, decision }: Explained): string | null {
  const cut = decision?.find(({ action }) => action === 'cut');
  if (cut)
    return `The policy ${cut.policy} ended the answer, by its rule ${cut.rule}. If that is wrong, change the policy, or write an exception into it.`;
  if (outcome === 'killed')
    return 'A block of the agent, or a pause of all agents, ended it: the audit log says who did that and why. Lift it once its cause is gone.';
  if (outcome === 'aborted')
    return 'The agent left before it had the whole answer, or stopped reading it: look at its own timeout.';
  if (outcome === 'failed' && failure !== null) {
    const [what, todo] = causes[failure];
    const had =
      status === null
        ? `No answer came: ${what}. The agent got ${failure === 'timeout' ? 504 : 502} from the proxy.`
        : `The answer began, with status ${status}, and broke off: ${what}. The agent has what came until then.`;
    return `${had} The agent is not at fault. ${todo}`;
  }
  if (outcome === 'failed')
    return status === null
      ? "No answer came: the request's body was too large, too slow or incomplete, or the proxy failed or stopped. The agent got a refusal that says which."
      : `The answer began, with status ${status}, and failed midway: the provider sent an error in it, or the proxy stopped. The agent is not at fault. ${notStored} Try again, or look at the provider's status page.`;
  if (outcome !== 'completed' || status === null || status < 400) return null;
  const hint = hints[status] ?? (status >= 500 ? `It failed. ${theirs} Try again, or look at its status page.` : '');
  const base = status === 404 && path && !/\/v\d/.test(path) ? noVersion : '';
  return [`${status} is the provider's own answer, which the agent got as it was.`, hint, base, notStored]
    .filter(Boolean)
    .join(' ');
}

/** Why a call did not end as it should, what it cost and what to do; null for one that did, or whose end is not known. */
export function explainOutcome(event: Explained): string | null {
  const end = explainEnd(event);
  return end && `${end} ${explainCost(event)}`;
}

/** The status that stands beside a result: none of a success beside a failure. */
export function statusBeside({ outcome, http_status }: Ended): number | null {
  return outcome === 'failed' && (http_status ?? 0) < 400 ? null : (http_status ?? null);
}
