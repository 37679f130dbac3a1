import { hash } from 'node:crypto';
import { type BudgetSet, type Charge, never, steps, toCharge } from '@agp/budgets';
import { ApiError } from '@agp/core/errors';
import { uuidTime } from '@agp/core/ids';
import { chargedLabels, readLabels, splitLabelOf } from '@agp/core/labels';
import { nanoToUsd } from '@agp/core/money';
import type { AdmissionState, OwnRefusal } from '@agp/db';
import { mayHold } from '@agp/documents';
import type { Policy } from '@agp/policy';
import { listRuleMembers } from '@agp/policy/rule-members';
import { answerError, tellRefusal } from '../answer/refusal.ts';
import { rateLimited, refuseBudget } from '../budget/budget-refusals.ts';
import { judge, listRefusing, toDay } from '../budget/judge-budget.ts';
import type { ProxyContext } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { refuseToken } from '../head/agent-token.ts';
import { readCaller } from '../head/caller.ts';
import { ShownJwt } from '../identity/identities.ts';
import { type Agent, refuseOther } from '../identity/workload.ts';
import { latestRefusals, ownAsksPerMinute } from '../limits.ts';
import { refuseStopped } from '../steps/admit.ts';
import { identify } from '../steps/identify.ts';
import { StorageDeadline } from '../storage/storage-deadline.ts';
import { answerJson, countRefusal } from './exchange-token.ts';
import { isBrowser, sendOwnPage } from './own-page.ts';

/** No provider can have this path: its id would be `agents`, which is reserved. */
export const ownPath = '/agents/me';

/**
 * Answers an agent, by its own token alone, with its own state: no more than refusals tell, and nothing of others. A browser gets a page that
 * asks for the token and shows the same.
 */
export async function tellAgent(context: ProxyContext, exchange: Exchange): Promise<void> {
  context.load.running += 1;
  try {
    context.callers.assure(exchange.request);
    if (exchange.method === 'GET' && isBrowser(exchange.request)) return sendOwnPage(exchange);
    if (exchange.method !== 'GET') throw new ApiError('method_not_allowed', { headers: { Allow: 'GET' } });
    answerJson(exchange, 200, await readState(context, exchange));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    countRefusal(context, exchange, error);
    answerError(context.config, exchange, error, {});
  } finally {
    context.load.running -= 1;
  }
}

/** Also of an agent that is blocked. */
async function readState(context: ProxyContext, { request, sourceIp }: Exchange): Promise<object> {
  const { storage, identities } = context;
  const deadline = new StorageDeadline(performance.now() + context.config.storageTimeoutMs);
  for (;;) {
    await identities.refresh(deadline.at);
    const { token, jwt, hasJwt, agentName } = readCaller(request, null, [], (each) => identities.isOurs(each));
    if (token === null && jwt === null) throw refuseToken(hasJwt ? 'noIssuer' : 'none');
    const shown = { jwt: jwt === null ? null : new ShownJwt(jwt), tokenSha256: token && hash('sha256', token, 'hex') };
    const caller = { ...shown, agentName, sourceIp, identityVersion: identities.version };
    const agent = await identify(context, caller, deadline);
    if (agent === null) continue;
    const { uuid, tokenId, claim } = agent;
    const stored = await storage.readAdmission({ agentId: uuid, tokenId, claim, sessionId: null }, deadline.at);
    if (stored?.tokenIsValid !== true)
      throw claim === null ? refuseToken('notValid') : await refuseOther(context, claim, deadline.at);
    const { allowed, retryAfterSeconds } = await context.ownAsks.consume(uuid);
    if (!allowed) throw rateLimited(ownAsksPerMinute, retryAfterSeconds);
    return describe(context, agent, stored, deadline.at);
  }
}

async function describe(context: ProxyContext, agent: Agent, stored: AdmissionState, deadline: number) {
  const { caps, metadata, status } = stored;
  const now = Date.now();
  const day = toDay(now);
  const { policies } = await context.rules.at(stored.policyVersion, deadline);
  const set = await context.budgets.at(stored.budgetVersion, deadline);
  const charges = listCharges(set, agent, chargedLabels(metadata) ?? {}, now);
  const scopes = charges.map(({ scope }) => scope).join(' ');
  const used = await context.storage.readUsed({ day, agentId: agent.uuid, charges, budgets: { scopes } }, deadline);
  const judged = judge(caps, charges, { nanoUsd: 0, tokens: 0 }, used, []);
  const stop = status === 'blocked' ? 'agent_blocked' : stored.paused ? 'paused' : null;
  const refusals = [
    ...(stop === null ? [] : [await refuseStopped(context, stop, agent.uuid)]),
    ...listRefusing(judged).map((each) => refuseBudget([each], day, now, null)),
  ];
  const latest = await context.storage.readRefusals(agent.uuid, latestRefusals, deadline);
  const labels = Object.fromEntries(readLabels(metadata));
  const [[{ limit, refuses }], [spent = 0, , ...ofCharges]] = [caps, used];
  return {
    ...{ agent_id: agent.id, agent_name: agent.name, status },
    refused: refusals.map((error) => tellRefusal(error, context.config.refusalContact).message),
    requests_per_minute: stored.requestsPerMinute,
    spent_today_usd: nanoToUsd(spent),
    daily_cap:
      limit === Number.POSITIVE_INFINITY
        ? null
        : { usd: nanoToUsd(limit), left: nanoToUsd(limit - spent), warns_only: !refuses },
    budgets: charges.map((charge, at) => describeBudget(charge, ofCharges[at] ?? 0)),
    latest_refusals: latest.map(describeRefusal),
    policies: policies
      .filter(({ policy, endsAt }) => endsAt > now && mayHold(policy.match, agent.name, labels))
      .flatMap(({ policy }) => (policy.mode === 'observe' ? [] : [describePolicy(policy)])),
  };
}

/** Its places in budgets that may count its requests, but for those that each session has for itself. */
function listCharges(set: BudgetSet, { uuid, name }: Agent, labels: Record<string, string>, now: number): Charge[] {
  return set.budgets.flatMap((each) => {
    const { match, split_by: split } = each.budget;
    const key = { none: '', agent: uuid }[split] ?? labels[splitLabelOf(split) ?? ''];
    return key === undefined || !mayHold(match, name, labels) ? [] : [toCharge(each, key, now)];
  });
}

function describeBudget({ stored, unit, limit, window: { to } }: Charge, used: number) {
  const { name, amount, window, zone, on_exceeded, match } = stored.budget;
  const resets_at = to < never ? new Date(to).toISOString() : null;
  const left = (limit - used) / steps[unit];
  const ofTags = match.tags && { tags: match.tags };
  return { name, left, amount, unit, window, zone, resets_at, on_exceeded, ...ofTags };
}

/** As its refusal told it. */
function describeRefusal({ id, reason, rule, count }: OwnRefusal) {
  const [, policy = null, name = null, why = null] = /^(\S+) (\S+): (.*)/s.exec(rule ?? '') ?? [];
  return { at: new Date(uuidTime(id)).toISOString(), reason, policy, rule: name, why, requests: count };
}

/** Without what its lists hold, and whom else it is for. */
function describePolicy(policy: Policy) {
  const { name, mode, limits, tools, pii, match } = policy;
  const ofData = [pii?.request, pii?.response].flatMap((each) => Object.values(each ?? {}));
  const actions = new Set([limits?.over ?? [], tools?.on_declared ?? [], ofData].flat());
  const rules = listRuleMembers(policy);
  return { name, mode, rules, actions: [...actions], ...(match.tags && { tags: match.tags }) };
}
