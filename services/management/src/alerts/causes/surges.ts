import { formatCount, roundUsd } from '@agp/core/explain';
import { toPublicId } from '@agp/core/ids';
import { chargedLabels, splitLabelOf } from '@agp/core/labels';
import { readBusiestHours, readLatestUse, type WatchedAgent } from '@agp/db';
import { type Cause, type Finder, isFor, mostNamed, nameOf, searchPath } from './look.ts';

/** What nothing is usual of yet must pass so many times the least. */
const timesIfNew = 10;

interface Use {
  agent: WatchedAgent;
  requests: number;
  usd: number;
}

/** An agent that runs away, or a team: in minutes it asks or spends several times what it did in its busiest hour of the week before. */
export const surgeFinder: Finder<'surge'> = {
  everyMs: 10_000,
  async find(look, rule) {
    const { minutes, times, of } = rule;
    const label = splitLabelOf(rule.by);
    const since = look.ago(minutes);
    const least = { requests: rule.at_least, usd: rule.at_least_usd };
    const isMany = ({ requests, usd }: Omit<Use, 'agent'>) => requests >= least.requests || usd >= least.usd;
    const rows = await look.once(`used in ${minutes}`, () => readLatestUse(look.db, since));
    const alone = label === null ? rows.filter(isMany) : rows;
    const agents = await look.agents(alone.map(({ agent_id }) => agent_id));
    const uses = alone.flatMap(({ agent_id, ...use }): Use[] => {
      const agent = agents.get(agent_id);
      // Somebody has stopped it already.
      return agent === undefined || agent.status === 'blocked' || !isFor(rule, { agent }) ? [] : [{ ...use, agent }];
    });
    const keyOf = ({ agent }: Use) => (label === null ? agent.id : chargedLabels(agent.metadata)?.[label]);
    const groups = [...Map.groupBy(uses, keyOf)].flatMap(([key, each]) =>
      key === undefined ? [] : [sumUp(key, each)],
    );
    const many = groups.filter(isMany);
    if (many.length === 0) return [];
    const until = look.lastHour;
    const hours = await look.once(
      `busiest before ${until.toISOString()} by ${rule.by}`,
      () => readBusiestHours(look.db, until, label),
      10,
    );
    return many.flatMap(({ key, uses, ...now }): Cause<'surge'>[] => {
      const usual = hours.get(key);
      const what = of.find((each) => {
        const bound = usual === undefined ? timesIfNew * least[each] : times * usual[each];
        return now[each] >= least[each] && now[each] > bound;
      });
      if (what === undefined) return [];
      const show = (amount: number) => (what === 'usd' ? `${roundUsd(amount)} USD` : formatCount(amount));
      const told = { what, count: show(now[what]), before: usual === undefined ? null : show(usual[what]), minutes };
      const names = uses.toSorted((one, other) => other[what] - one[what]).map(({ agent }) => nameOf(agent, agent.id));
      const from = since.toISOString();
      if (label === null) {
        const path = searchPath('/events', { agent_id: toPublicId('agt', key), from });
        return [{ subject: key, path, agentId: key, facts: { agent: names[0] as string, ...told } }];
      }
      const most = names.length > 1 ? { agents: names.slice(0, mostNamed) } : {};
      const path = searchPath('/events', { label: `${label}=${key}`, from });
      const agentIds = uses.map(({ agent }) => agent.id);
      return [{ subject: `${label} ${key}`, path, agentIds, facts: { agent: key, label, ...told, ...most } }];
    });
  },
};

const sumUp = (key: string, uses: readonly Use[]) => ({
  ...{ key, uses },
  requests: uses.reduce((sum, { requests }) => sum + requests, 0),
  usd: uses.reduce((sum, { usd }) => sum + usd, 0),
});
