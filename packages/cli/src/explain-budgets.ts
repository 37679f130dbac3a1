import { explainedBudgetListSchema } from '@agp/budgets';
import { type Budget, budgetListSchema } from '@agp/core/contracts';
import { countOf } from '@agp/core/explain';
import { type BudgetLine, columns, formatAmount, toPercent } from './budget-table.ts';
import { noteHidden } from './explain-policies.ts';
import { findAgentId } from './find.ts';
import type { Shell } from './shell.ts';
import { formatTime } from './table.ts';

export interface ExplainBudgetOptions {
  agent: string;
  model?: string;
  provider?: string;
  tag?: string;
}

/** A daily cap as a budget; nothing if there is none. */
function toLine(whom: string, to: string, cap: Budget | undefined): BudgetLine[] {
  if (cap === undefined || cap.daily_cap_usd === null) return [];
  const { daily_cap_usd: amount, spent_usd: used, reserved_usd: held, warn_only: warns } = cap;
  const figures = { amount, used, held, left: amount - used - held, expected: null, percent: toPercent(used, amount) };
  return [{ budget: 'daily cap', whom, unit: 'usd', ...figures, to, on_exceeded: warns ? 'warn' : 'refuse' }];
}

/** What refuses such a request, or will first, by the order in which the proxy judges. */
function describeFirst(lines: readonly BudgetLine[]): string {
  const name = ({ budget, whom }: BudgetLine) => (budget === 'daily cap' ? `the daily cap of ${whom}` : budget);
  const refusing = lines.filter(({ on_exceeded }) => on_exceeded === 'refuse');
  if (refusing.length === 0) return 'none of these refuses';
  const spent = refusing.find(({ used, amount }) => used >= amount);
  if (spent) return `${name(spent)} refuses it: it is used up${spent.to ? ` until ${formatTime(spent.to)}` : ''}`;
  const held = refusing.find(({ left }) => left <= 0);
  if (held) return `${name(held)} refuses it while running requests hold the rest`;
  const least = [...Map.groupBy(refusing, ({ unit }) => unit).values()].map((all) => {
    const first = all.reduce((one, other) => (other.left < one.left ? other : one));
    if (first.unit === 'requests') return `${name(first)}, after ${countOf(first.left, 'request')}`;
    return `${name(first)}, a request that may take more than ${formatAmount(first.left, first.unit)}`;
  });
  return `would refuse first: ${least.join('; ')}`;
}

/** Prints all budgets and daily caps that count a request of an agent. */
export async function explainBudgets(shell: Shell, { agent, tag, ...asked }: ExplainBudgetOptions): Promise<void> {
  noteHidden(shell, asked.model);
  const id = await findAgentId(shell.api, agent);
  const query = { ...asked, agent_id: id, compliance_tag: tag };
  const named = await shell.api.get('/api/v1/budgets/explain', explainedBudgetListSchema, query);
  const daily = await shell.api.get('/api/v1/budgets', budgetListSchema);
  if (shell.json) {
    await shell.show(named, String);
    return shell.show(daily, String);
  }
  const { day, agents, global } = daily.data;
  const midnight = new Date(Date.parse(day) + 86_400_000).toISOString();
  const own = agents.find(({ agent_id }) => agent_id === id);
  const lines: BudgetLine[] = [
    ...[...toLine('this agent', midnight, own), ...toLine('all agents', midnight, global)],
    ...named.data.map(({ name, window: { to }, use: { name: whose, key, ...figures }, ...budget }) => ({
      ...{ ...budget, ...figures, budget: name, whom: (whose ?? key) || 'all together', to },
      percent: toPercent(figures.used, budget.amount),
    })),
  ];
  if (lines.length === 0) return shell.terminal.print('no budget and no daily cap counts it');
  const shown = columns.filter(({ head }) => head !== 'WINDOW');
  await shell.terminal.print(`${shell.drawTable(lines, shown)}\n\n${describeFirst(lines)}`);
}
