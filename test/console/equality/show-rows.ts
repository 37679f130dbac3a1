import type { BudgetUse, StoredBudget } from '@agp/budgets';
import type {
  AgentBudget,
  AgentToken,
  ApiKey,
  ClaimedName,
  DoubtfulUsage,
  ListedAgent,
  ListedAuditEntry,
  ListedEvent,
  ModelPrice,
  Refusal,
  Session,
  SessionEvent,
  UnpricedModel,
  UnrecordedRequest,
} from '@agp/core/contracts';
import {
  describeOutcome,
  describePii,
  formatCount,
  formatDuration,
  formatShare,
  nameChanged,
  tellFailures,
} from '@agp/core/explain';
import { readLabels } from '@agp/core/labels';
import { describeMatch } from '@agp/documents';
import type { StoredIdentity } from '@agp/identities';
import type { AgentTool, StoredPolicy } from '@agp/policy';
import { listRuleMembers } from '@agp/policy/rule-members';
import { expect } from 'vitest';
import {
  formatAmount,
  formatShortCount,
  showPrice as inUsd,
  noRoomMeaning,
  roundUsd,
} from '../../../packages/console/src/format/format.ts';
import { agentLink, ago, capBar, cost, minute, money, named, orDash, shortId, time } from './show-values.ts';

const begins = (text: string) => new RegExp(`^${RegExp.escape(text)}`);
const words = (code: string) => code.replaceAll('_', ' ');
const ends = ({ expires_at }: { expires_at: string | null }) => (expires_at === null ? 'never' : time(expires_at));

const showKinds = (kinds: readonly string[]) =>
  `${words(kinds.slice(0, 2).join(', '))}${kinds.length > 2 ? ` +${kinds.length - 2}` : ''} {${words(kinds.join(', '))}}`;

/** An agent, and the first of its labels. */
const withLabels = (agent: string, labels: readonly string[], most: number) =>
  [agent, ...labels.slice(0, most).map(named)].join(' ');

/** Of one session's events. */
export const showTurn = (event: SessionEvent | ListedEvent) => ({
  Time: time(event.timestamp),
  Model: named(event.model),
  Result: describeOutcome(event).text,
  Tokens: `${formatCount(event.prompt_tokens + event.completion_tokens)} {${formatCount(event.prompt_tokens)} in, ${formatCount(event.completion_tokens)} out}`,
  Cost: cost(event.cost_usd, event.prompt_tokens + event.completion_tokens),
  'Personal data': event.pii_types.length > 0 ? showKinds(event.pii_types) : describePii(event).text,
});

export const showEvent = (event: ListedEvent) => ({
  ...showTurn(event),
  Agent: agentLink(event),
  Provider: named(event.provider),
  Session: shortId(event.session_id),
});

/** Those alike in one row, the latest first. What a code means is the console's own. */
export const showRefusals = (refusals: readonly Refusal[]) => {
  const alike = Map.groupBy(refusals, ({ agent_id, reason, rule, provider }) =>
    [agent_id, reason, rule, provider].join(),
  );
  return [...alike.values()].map((all) => showAlike(all as [Refusal, ...Refusal[]]));
};

const showAlike = ([refusal, ...earlier]: [Refusal, ...Refusal[]]) => ({
  Requests: formatCount(earlier.reduce((sum, { count }) => sum + count, refusal.count)),
  Last: `${time(refusal.timestamp)}${earlier.length > 0 ? ` first ${time((earlier.at(-1) as Refusal).timestamp)}` : ''}`,
  Agent:
    refusal.agent_id === null ? `not known, from ${refusal.source_ip}` : agentLink(refusal as { agent_id: string }),
  Why: expect.stringMatching(
    refusal.rule === null
      ? new RegExp(`^[A-Z].*\\. ${words(refusal.reason)}: [A-Z]`)
      : begins(refusal.rule.replace(/^(\S+) ([^:]+): (.*)$/, 'Policy $1, rule $2: $3.')),
  ) as string,
  'Sent to': `${refusal.provider ?? 'no provider'} ${refusal.path ?? ''}`.trim(),
});

export const showSession = (session: Session) => ({
  Session: session.name == null ? shortId(session.id) : `${session.name} {${session.id}}`,
  Agent: withLabels(agentLink(session), session.labels ?? [], 2),
  Began: time(session.started_at),
  'Last turn': ago(session.ended_at),
  Lasted: session.event_count > 1 ? formatDuration(session.duration_ms) : '–',
  Turns: formatCount(session.event_count),
  Failed: tellFailures(session),
  Tokens: formatShortCount(session.total_tokens),
  Cost: cost(session.total_cost_usd, session.total_tokens),
  Tag: named(session.compliance_tag),
  'Personal data': session.pii_detected ? 'found' : 'none',
});

export const showAgent = (agent: ListedAgent) => ({
  Agent: withLabels(
    named(agent.name),
    readLabels(agent.metadata).map((label) => label.join('=')),
    3,
  ),
  Status: agent.status + (agent.status === 'retired' && (agent.requests_today ?? 0) > 0 ? ' still sending' : ''),
  'Last seen': ago(agent.last_seen_at),
  'Requests today': formatCount(agent.requests_today ?? 0),
  'Cost today': expect.stringMatching(
    new RegExp(`^${RegExp.escape(money(agent.cost_today_usd ?? 0))}|^no price`),
  ) as string,
  'Of its cap': capBar({
    spent_usd: agent.cost_today_usd ?? 0,
    reserved_usd: 0,
    daily_cap_usd: agent.daily_cap_usd ?? null,
    warn_only: agent.warn_only === true,
  }),
  'Personal data today': agent.pii_today?.length ? showKinds(agent.pii_today) : 'none',
});

/** What it comes to at a pace changes by itself. */
export const showBudget = (budget: AgentBudget) => ({
  Agent: withLabels(agentLink(budget), budget.labels, 2),
  'Used of its cap': capBar(budget),
  'Spent today': money(budget.spent_usd),
  Held: money(budget.reserved_usd),
  Left: `${orDash(budget.remaining_usd === null ? null : money(budget.remaining_usd))}${budget.no_room_since === null ? '' : ` no room {${noRoomMeaning}}`}`,
  Cap: `${budget.daily_cap_usd === null ? 'no cap' : roundUsd(budget.daily_cap_usd)}${budget.warn_only ? ' warns only' : ''}`,
  'At the last hour’s pace': expect.any(String) as string,
});

const share = (used: number, amount: number) => (amount === 0 ? 1 : used / amount);

/** Who used most of a budget, its bar, and what is expected. */
export const showNamedBudget = ({ budget, uses: [first], use_count, window, is_counted }: StoredBudget) => {
  const { amount, unit } = budget;
  const { used, held, name } = first as BudgetUse;
  const whole = formatAmount(amount, unit);
  const suffix = { observe: ' (only counted)', warn: ' (warns only)', refuse: '' }[budget.on_exceeded];
  const text = `${formatAmount(used, unit)} of ${whole}${suffix}`;
  const most = name === null ? '' : ` ${named(name)}${use_count > 1 ? `, the fullest of ${use_count}` : ''}`;
  expect([held, is_counted]).toEqual([0, true]);
  const by = new Date(window.to ?? 0).toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' });
  return {
    Budget: [
      `${budget.name} ${describeMatch(budget.match)}`,
      ...(budget.split_by === 'none' ? [] : [`each ${budget.split_by}`]),
    ].join('; '),
    Used: `${text} ${Math.round(100 * Math.min(1, share(used, amount)))}%${formatShare(share(used, amount))}${most}`,
    Amount: `${whole} a ${budget.window}`,
    'At this pace': expect.stringMatching(new RegExp(`^[^ ]+ by ${by}$`)) as string,
    'Begins anew': time(window.to ?? ''),
    'Beyond it': { warn: 'warned', refuse: 'refused', observe: 'only counted' }[budget.on_exceeded],
  };
};

const nameActor = ({ actor }: ListedAuditEntry) => ('name' in actor ? actor.name : actor.kind);

/** Refusals of a minute and reason are one row. */
export const showRefusedMinutes = (entries: readonly ListedAuditEntry[]) => {
  const alike = Map.groupBy(
    entries,
    ({ timestamp, after }) => `${timestamp} ${Object.keys((after as { reasons: object }).reasons)}`,
  );
  return [...alike.values()].map((all) => ({
    Time: minute(all[0]?.timestamp ?? ''),
    About: all.length > 1 ? `${all.length} entries` : (expect.any(String) as string),
    Change: expect.stringContaining(`${formatCount(all.reduce((sum, { count }) => sum + count, 0))} refused`) as string,
  }));
};

/** What was changed and what it is called are the console's own words. */
export const showEntry = (entry: ListedAuditEntry) => ({
  'No.': entry.seq === null ? expect.stringMatching(/^open/) : String(entry.seq),
  Time: entry.action === 'request.refused' ? minute(entry.timestamp) : time(entry.timestamp),
  Who: `${nameActor(entry)} {${nameActor(entry)}${entry.source_ip === null ? '' : ` from ${entry.source_ip}`}}`,
  What: expect.any(String) as string,
  About: entry.agent_id
    ? agentLink({ ...entry, agent_id: entry.agent_id })
    : nameChanged(entry) && entry.target
      ? `${nameChanged(entry)} {${entry.target}}`
      : entry.target
        ? shortId(entry.target, 4)
        : '–',
  Change:
    entry.action === 'request.refused'
      ? expect.stringContaining(`${formatCount(entry.count)} refused`)
      : expect.stringMatching(new RegExp(entry.reason === null ? '.' : ` “${RegExp.escape(entry.reason)}”$`)),
  Hash: entry.lineage_hash === null ? 'open' : shortId(entry.lineage_hash, 4),
});

export const showKey = (key: ApiKey) => ({
  Name: key.name,
  May: key.scopes.join(' '),
  Made: time(key.created_at),
  'Last used': ago(key.last_used_at),
  Ends: ends(key),
});

export const showToken = (token: AgentToken) => ({
  Agent: token.agent_name,
  Id: shortId(token.id),
  'Exchanged for': token.identity ?? '',
  Made: time(token.created_at),
  Ends: ends(token),
});

export const showName = (name: ClaimedName) => ({
  Name: name.name,
  Claimed: time(name.claimed_at),
  Tokens: formatCount(name.token_count),
  'Workload of': name.identity ?? '',
});

export const showIdentity = ({ identity, version, updated_at }: StoredIdentity) => ({
  ...{ Identity: identity.name, Issuer: identity.issuer, Audiences: identity.audiences.join(', ') },
  Agents: identity.rules.map(({ name, agent }) => `${name}: ${agent}`).join('; '),
  ...{ Version: formatCount(version), Changed: ago(updated_at) },
});

export const showUnpriced = (model: UnpricedModel) => ({
  Model: model.model,
  Provider: model.provider,
  Unit: model.unit ?? 'all',
  Requests: formatCount(model.request_count),
  'Tokens in': formatShortCount(model.total_prompt_tokens),
  'Tokens out': formatShortCount(model.total_completion_tokens),
  First: time(model.first_seen_at),
  Last: ago(model.last_seen_at),
});

export const showPrice = ({ model, provider, prices, source, add }: ModelPrice) => ({
  Model: model,
  Provider: provider ?? 'every one',
  'In, a million': inUsd(prices.input_mtok),
  Cached: inUsd(prices.cache_read_mtok),
  'Out, a million': inUsd(prices.output_mtok),
  Others:
    add === null
      ? (expect.any(String) as string)
      : `${source === null ? 'No price.' : 'Some units have no price.'} Add to PRICES_FILE: ${add}`,
  From: expect.stringMatching(/^(?:price list|supplement|no source)/) as string,
});

export const showDoubt = (call: DoubtfulUsage) => ({
  Time: time(call.started_at),
  Agent: agentLink(call),
  Model: `${call.model} (${call.provider})`,
  Why: expect.any(String) as string,
  Claimed: money(call.claimed_cost_usd),
  Recorded: money(call.cost_usd),
});

export const showUnrecorded = (request: UnrecordedRequest) => ({
  Time: time(request.started_at),
  Agent: agentLink(request),
  Model: `${request.model ?? 'not known'} (${orDash(request.provider)})`,
  Why: expect.any(String) as string,
  'Counts as': money(request.cost_usd),
  'Event id': shortId(request.event_id),
});

const decided: Record<string, string> = {
  refuse: 'refused',
  observe: 'noted',
  warn: 'warned',
  lower: 'lowered',
  excepted: 'excepted',
};

export const showPolicy = ({ policy, version, hits, updated_at }: StoredPolicy) => ({
  ...{ Policy: named(policy.name), Mode: policy.mode, For: describeMatch(policy.match) },
  Rules: listRuleMembers(policy).join(', '),
  Exceptions: (policy.exceptions ?? []).map(({ until }, at) => `${at + 1}, until ${time(until)}`).at(-1) ?? '',
  Refused: formatCount(hits?.refused ?? -1),
  'By rule': (hits?.by ?? [])
    .map(({ rule, action, requests }) => `${rule} ${formatCount(requests)} ${decided[action] ?? action}`)
    .join(', '),
  Version: formatCount(version),
  Changed: ago(updated_at),
});

export const showTool = ({ kind, name, called, declared, first_seen_at, last_seen_at }: AgentTool) => ({
  ...{ Tool: named(name), Kind: kind, Called: formatCount(called), Offered: formatCount(declared) },
  ...{ 'First seen': time(first_seen_at), 'Last seen': ago(last_seen_at) },
});
