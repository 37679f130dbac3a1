import { formatCount, roundUsd } from '@agp/core/explain';
import { toPublicId } from '@agp/core/ids';
import { readBusiestHours, readLatestUse } from '@agp/db';
import { type Cause, type Finder, isFor, nameOf, searchPath } from './look.ts';

/** An agent of which nothing is usual yet must pass so many times the least. */
const timesIfNew = 10;

/** An agent that runs away: in minutes it asks or spends several times what it did in its busiest hour of the week before. */
export const surgeFinder: Finder<'surge'> = {
  everyMs: 10_000,
  async find(look, rule) {
    const { minutes, times, of } = rule;
    const since = look.ago(minutes);
    const least = { requests: rule.at_least, usd: rule.at_least_usd };
    const rows = await look.once(`used in ${minutes}`, () => readLatestUse(look.db, since));
    const many = rows.filter(({ requests, usd }) => requests >= least.requests || usd >= least.usd);
    if (many.length === 0) return [];
    const agents = await look.agents(many.map(({ agent_id }) => agent_id));
    const until = look.lastHour;
    const hours = await look.once(`busiest before ${until.toISOString()}`, () => readBusiestHours(look.db, until), 10);
    return many.flatMap(({ agent_id: id, ...now }): Cause<'surge'>[] => {
      const agent = agents.get(id);
      // Somebody has stopped it already.
      if (agent?.status === 'blocked' || !isFor(rule, { agent })) return [];
      const usual = hours.get(id);
      const what = of.find((each) => {
        const bound = usual === undefined ? timesIfNew * least[each] : times * usual[each];
        return now[each] >= least[each] && now[each] > bound;
      });
      if (what === undefined) return [];
      const show = (amount: number) => (what === 'usd' ? `${roundUsd(amount)} USD` : formatCount(amount));
      const path = searchPath('/events', { agent_id: toPublicId('agt', id), from: since.toISOString() });
      const before = usual === undefined ? null : show(usual[what]);
      return [
        {
          ...{ subject: id, path, agentId: id },
          facts: { agent: nameOf(agent, id), what, count: show(now[what]), before, minutes },
        },
      ];
    });
  },
};
