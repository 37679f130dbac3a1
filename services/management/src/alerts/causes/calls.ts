import { nameUnpriced, readUnpriced } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';
import { readDecided, readDoubtsSince, readFindings, readRefused, readUnpricedSince, readUsualRefusals } from '@agp/db';
import { type Cause, type Finder, isFor, nameOf, searchPath } from './look.ts';

/** How often sums of calls are made, in milliseconds. */
const everyMs = 10_000;
/** Reasons that ask for no look: somebody stopped these agents. */
const wanted = ['agent_blocked', 'paused'];

/** Adds up what is alike. */
function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[][] {
  return [...Map.groupBy(rows, keyOf).values()];
}

const countIn = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0);

/** What policies did, by policy, agent and action. */
export const policyFinder: Finder<'policy'> = {
  everyMs,
  async find(look, rule) {
    const { minutes } = rule;
    const since = look.ago(minutes);
    const rows = await look.once(`decided in ${minutes}`, () => readDecided(look.db, since));
    const agents = await look.agents(rows.map(({ agent_id }) => agent_id));
    return rows.flatMap(({ policy, agent_id: id, action, rules, count }) => {
      const agent = agents.get(id);
      const isAsked = (rule.policies?.includes(policy) ?? true) && (rule.actions as string[]).includes(action);
      if (!isAsked || count < rule.at_least || !isFor(rule, { agent })) return [];
      const search = { agent_id: toPublicId('agt', id), policy, from: since.toISOString() };
      const path =
        action === 'refuse' ? searchPath('/refusals', search) : searchPath('/events', { ...search, decision: action });
      const facts = { policy, agent: nameOf(agent, id), action, rules, count, minutes };
      return [{ subject: `${policy} ${id} ${action}`, path, agentId: id, facts }];
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
    return groupBy(asked, ({ agent_id, type }) => `${agent_id} ${type}`).flatMap((group) => {
      const [{ agent_id: id, type }] = group as [(typeof group)[0], ...typeof group];
      const count = countIn(group);
      if (count < rule.at_least) return [];
      const tags = [...new Set(group.map(({ tag }) => tag))].sort();
      const search = { agent_id: toPublicId('agt', id), pii_type: type, from: since.toISOString() };
      const facts = { type, agent: nameOf(agents.get(id), id), count, tags, minutes };
      return [{ subject: `${id} ${type}`, path: searchPath('/events', search), agentId: id, facts }];
    });
  },
};

export const refusalFinder: Finder<'refusals'> = {
  everyMs,
  async find(look, rule) {
    const { minutes, at_least: least, times } = rule;
    const since = look.ago(minutes);
    const rows = await look.once(`refused in ${minutes}`, () => readRefused(look.db, since, wanted));
    const many = groupBy(rows, ({ agent_id }) => agent_id).filter((group) => countIn(group) >= least);
    const ids = many.map(([first]) => first?.agent_id ?? '');
    if (ids.length === 0) return [];
    const usual = await readUsualRefusals(look.db, ids, since, wanted);
    const agents = await look.agents(ids);
    return many.flatMap((group) => {
      const [{ agent_id: id, reason }] = group as [(typeof group)[0], ...typeof group];
      const count = countIn(group);
      const agent = agents.get(id);
      if (count <= (times * (usual.get(id) ?? 0) * minutes) / 60 || !isFor(rule, { agent })) return [];
      const search = { agent_id: toPublicId('agt', id), from: since.toISOString() };
      const facts = { agent: nameOf(agent, id), count, reason, minutes };
      return [{ subject: id, path: searchPath('/refusals', search), agentId: id, facts }];
    });
  },
};

/** Models without a price are nobody's own: a scope by agent is for doubtful bills alone. */
export const costFinder: Finder<'cost'> = {
  everyMs,
  async find(look, rule) {
    const since = look.ago(rule.days * 1_440);
    const causes: Cause<'cost'>[] = [];
    if (rule.of.includes('unpriced'))
      for (const { provider, model: name, request_count: count } of await readUnpricedSince(look.db, since)) {
        const { model, unit } = readUnpriced(name);
        if (!isFor(rule, { providers: provider, models: model })) continue;
        causes.push({
          ...{ subject: `unpriced ${provider} ${name}`, path: '/costs?view=unpriced' },
          facts: {
            what: 'unpriced',
            name: `${unit === null ? model : nameUnpriced(model, unit)} at ${provider}`,
            count,
          },
        });
      }
    if (!rule.of.includes('doubtful')) return causes;
    const doubts = await readDoubtsSince(look.db, since);
    const agents = await look.agents(doubts.map(({ agent_id }) => agent_id));
    const asked = doubts.filter(({ agent_id, provider, model }) =>
      isFor(rule, { agent: agents.get(agent_id), providers: provider, models: model }),
    );
    for (const group of groupBy(asked, ({ provider, model }) => `${provider} ${model}`)) {
      const [{ provider, model }] = group as [(typeof group)[0], ...typeof group];
      const facts = { what: 'doubtful' as const, name: `${model} at ${provider}`, count: countIn(group) };
      causes.push({ subject: `doubtful ${provider} ${model}`, path: '/costs?view=doubtful', facts });
    }
    return causes;
  },
};
