import { nameUnpriced, readUnpriced } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';
import {
  readDecided,
  readDoubtsSince,
  readFindings,
  readRefused,
  readUnpricedSince,
  readUsualRefusals,
  type WatchedAgent,
} from '@agp/db';
import { type Cause, type Counted, type Finder, isFor, searchPath, sharesOf } from './look.ts';

/** How often sums of calls are made, in milliseconds. */
const everyMs = 10_000;
/** Reasons that ask for no look: somebody stopped these agents, or the alert of the cap of all says so, and worse. */
const wanted = ['agent_blocked', 'paused', 'global_budget_exceeded'];

/** Adds up what is alike. */
function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[][] {
  return [...Map.groupBy(rows, keyOf).values()];
}

const countIn = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0);

/** What rows of one cause are together, and what leads to them. @param screen that shows them @param search without agents and time */
function tellTogether(
  rows: readonly Counted[],
  agents: ReadonlyMap<string | null, WatchedAgent>,
  { since, screen, search }: { since: Date; screen: string; search: Record<string, string> },
) {
  const agentIds = [...new Set(rows.map(({ agent_id }) => agent_id))];
  const [agentId = null] = agentIds.length === 1 ? agentIds : [];
  const ofOne = agentId === null ? {} : { agent_id: toPublicId('agt', agentId) };
  const path = searchPath(screen, { ...ofOne, ...search, from: since.toISOString() });
  return { ...{ agentId, agentIds, path }, shares: sharesOf(rows, agents) };
}

/** What policies did, by policy and action. */
export const policyFinder: Finder<'policy'> = {
  everyMs,
  async find(look, rule) {
    const { minutes } = rule;
    const since = look.ago(minutes);
    const rows = await look.once(`decided in ${minutes}`, () => readDecided(look.db, since));
    const agents = await look.agents(rows.map(({ agent_id }) => agent_id));
    const asked = rows.filter(
      ({ policy, agent_id, action }) =>
        (rule.policies?.includes(policy) ?? true) &&
        (rule.actions as string[]).includes(action) &&
        isFor(rule, { agent: agents.get(agent_id) }),
    );
    return groupBy(asked, ({ policy, action }) => `${policy} ${action}`).flatMap((group) => {
      const [{ policy, action }] = group as [(typeof group)[0], ...typeof group];
      const place =
        action === 'refuse'
          ? { screen: '/refusals', search: { policy } }
          : { screen: '/events', search: { policy, decision: action } };
      const { shares, ...to } = tellTogether(group, agents, { since, ...place });
      if (shares.count < rule.at_least) return [];
      const rules = [...new Set(group.flatMap((each) => each.rules))].sort();
      return [{ subject: `${policy} ${action}`, ...to, facts: { ...shares, policy, action, rules, minutes } }];
    });
  },
};

export const piiFinder: Finder<'pii'> = {
  everyMs,
  async find(look, rule) {
    const { minutes } = rule;
    const since = look.ago(minutes);
    const rows = await look.once(`findings in ${minutes}`, () => readFindings(look.db, since));
    const agents = await look.agents(rows.map(({ agent_id }) => agent_id));
    const asked = rows.filter(
      ({ type, agent_id, tag, provider, model }) =>
        (rule.types?.includes(type) ?? true) &&
        isFor(rule, { agent: agents.get(agent_id), tags: tag, providers: provider, models: model }),
    );
    return groupBy(asked, ({ type }) => type).flatMap((group) => {
      const [{ type }] = group as [(typeof group)[0], ...typeof group];
      const place = { since, screen: '/events', search: { pii_type: type } };
      const { shares, ...to } = tellTogether(group, agents, place);
      if (shares.count < rule.at_least) return [];
      const tags = [...new Set(group.map(({ tag }) => tag))].sort();
      return [{ subject: type, ...to, facts: { ...shares, type, tags, minutes } }];
    });
  },
};

/** How long ago the latest refusal of what is told may be, in minutes. */
const stillMinutes = 5;

/** By reason: of all whom it meets if these are more than usual together, else of each agent that is refused more than usual. */
export const refusalFinder: Finder<'refusals'> = {
  everyMs,
  async find(look, rule) {
    const { minutes, at_least: least, times } = rule;
    const since = look.ago(minutes);
    const rows = await look.once(`refused in ${minutes}`, () => readRefused(look.db, since, wanted));
    if (countIn(rows) < least) return [];
    const ids = [...new Set(rows.map(({ agent_id }) => agent_id))];
    const agents = await look.agents(ids);
    const asked = rows.filter(({ agent_id }) => isFor(rule, { agent: agents.get(agent_id) }));
    const readUsual = () => readUsualRefusals(look.db, since, wanted);
    const all = await look.once(`refused before ${minutes}`, readUsual, 10);
    const known = await look.agents(all.map(({ agent_id }) => agent_id));
    const usual = all.filter(({ agent_id }) => isFor(rule, { agent: known.get(agent_id) }));
    const [usualOf, usualFor] = [Map.groupBy(usual, (row) => row.agent_id), Map.groupBy(usual, (row) => row.reason)];
    const still = look.ago(Math.min(minutes, stillMinutes));
    const isMany = (
      refused: readonly (Counted & { latest_at: Date })[],
      before: readonly { hourly: number }[] = [],
    ) => {
      const count = countIn(refused);
      const hourly = before.reduce((sum, each) => sum + each.hourly, 0);
      // What was refused long ago is over, however much it was.
      const isStill = refused.some(({ latest_at: at }) => at >= still);
      return isStill && count >= least && count > (times * hourly * minutes) / 60;
    };
    const reasons = [...Map.groupBy(asked, ({ reason }) => reason)];
    const told = new Map(reasons.filter(([reason, refused]) => isMany(refused, usualFor.get(reason))));
    const rest = asked.filter(({ reason }) => !told.has(reason));
    const alone = [...Map.groupBy(rest, ({ agent_id }) => agent_id)].filter(([id, refused]) =>
      isMany(refused, usualOf.get(id)),
    );
    return [...told, ...alone].map(([of, refused]): Cause<'refusals'> => {
      const [{ reason }] = refused as [(typeof refused)[0], ...typeof refused];
      const search = of === reason ? { reason } : {};
      const { shares, ...to } = tellTogether(refused, agents, { since, screen: '/refusals', search });
      return { subject: of, ...to, facts: { ...shares, reason, minutes } };
    });
  },
};

/** Models without a price are nobody's own: a scope by agent is for doubtful bills alone. */
export const costFinder: Finder<'cost'> = {
  everyMs,
  async find(look, rule) {
    const since = look.ago(rule.days * 1_440);
    const causes: Cause<'cost'>[] = [];
    if (rule.of.includes('unpriced')) {
      const unpriced = (await readUnpricedSince(look.db, since)).map((row) => ({ ...row, ...readUnpriced(row.model) }));
      const asked = unpriced.filter(({ provider, model }) => isFor(rule, { providers: provider, models: model }));
      for (const group of groupBy(asked, ({ provider }) => provider)) {
        const [{ provider, model, unit }] = group as [(typeof group)[0], ...typeof group];
        const name = `${unit === null ? model : nameUnpriced(model, unit)} at ${provider}`;
        const count = group.reduce((sum, each) => sum + each.request_count, 0);
        const models = new Set(group.map((each) => each.model)).size;
        const facts = { what: 'unpriced' as const, name, count, models };
        causes.push({ subject: `unpriced ${provider}`, path: '/costs?view=unpriced', facts });
      }
    }
    if (!rule.of.includes('doubtful')) return causes;
    const doubts = await readDoubtsSince(look.db, since);
    const agents = await look.agents(doubts.map(({ agent_id }) => agent_id));
    const asked = doubts.filter(({ agent_id, provider, model }) =>
      isFor(rule, { agent: agents.get(agent_id), providers: provider, models: model }),
    );
    for (const group of groupBy(asked, ({ provider, model }) => `${provider} ${model}`)) {
      const [{ provider, model }] = group as [(typeof group)[0], ...typeof group];
      const facts = { what: 'doubtful' as const, name: `${model} at ${provider}`, count: countIn(group), models: 1 };
      causes.push({ subject: `doubtful ${provider} ${model}`, path: '/costs?view=doubtful', facts });
    }
    return causes;
  },
};
