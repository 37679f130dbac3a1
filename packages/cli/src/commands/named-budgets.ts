import { isDeepStrictEqual } from 'node:util';
import {
  type BudgetDefinition,
  type BudgetPreview,
  budgetPreviewSchema,
  budgetSchema,
  countsTheSame,
  type StoredBudget,
  storedBudgetListSchema,
  storedBudgetSchema,
} from '@agp/budgets';
import { countOf, formatCount } from '@agp/core/explain';
import { toLineText } from '@agp/core/text';
import { writeText } from '@agp/documents/yaml';
import type { Command } from 'commander';
import { addApplyCommands, addGet, type Kind, listChanges, saysTheSame } from '../apply-files.ts';
import { addCommand } from '../arguments.ts';
import { columns, formatAmount, type ListedLine, toLines } from '../budget-table.ts';
import { UsageError } from '../cli-error.ts';
import { type ExplainBudgetOptions, explainBudgets } from '../explain-budgets.ts';
import { addCsv } from '../list.ts';
import { noteUnseen } from '../policy-exceptions.ts';
import type { Shell } from '../shell.ts';
import { formatTime } from '../table.ts';

const path = '/api/v1/budgets';

const csvColumns: readonly (keyof ListedLine)[] = [
  ...(['budget', 'whom', 'key', 'unit', 'amount', 'used', 'percent', 'held', 'left', 'expected'] as const),
  ...(['window', 'zone', 'from', 'to', 'on_exceeded'] as const),
];

const some = 5;

/** Whom it counts, what its window holds by the records, and how many have used it up. */
function describePreview({ amount, unit, split_by }: BudgetDefinition, preview: BudgetPreview): string[] {
  const { agents, uses, use_count: count, passed, window, is_complete: isComplete } = preview;
  const names = agents.names.slice(0, some).map((name) => toLineText(name, 128));
  const more = agents.count > names.length ? ' ...' : '';
  const isSplit = split_by !== 'none';
  const most = uses
    .slice(0, isSplit ? some : 1)
    .map(({ name, key, used }) => `${isSplit ? `${toLineText(name ?? key, 128)} ` : ''}${formatAmount(used, unit)}`);
  const whose = isSplit && count > 0 ? `${countOf(count, split_by.replace('label:', ''))} used ` : '';
  const used = whose + (most.join(', ') || 'nothing');
  const since = window.from === null ? 'in all time' : `since ${formatTime(window.from)}`;
  return [
    `counts ${countOf(agents.count, 'agent')}${names.length > 0 ? `: ${names.join(', ')}${more}` : ''}`,
    `${since}: ${used} of ${formatAmount(amount, unit)}${passed === 0 ? '' : `, ${formatCount(passed)} used up already`}${isComplete ? '' : ', and more that was not looked at'}`,
  ];
}

const kind: Kind<BudgetDefinition, StoredBudget> = {
  ...{ noun: 'budget', plural: 'budgets', path, listPath: `${path}/list` },
  ...{ list: storedBudgetListSchema, one: storedBudgetSchema, schema: budgetSchema },
  declaredBy: ({ budget }) => budget,
  toYaml: ({ text, budget }) => text ?? writeText(budget),
  isSame: ({ text, budget }, written) => saysTheSame(text, written, isDeepStrictEqual(budget, written.value)),
  toBody: ({ text }) => text,
  describeChange: ({ budget }, wanted) =>
    `${listChanges(budget, wanted)}; ${countsTheSame(budget, wanted) ? 'from the next request on' : 'counted anew from the records'}`,
  preview: async (shell, wanted) => {
    await noteUnseen(shell, { agent: wanted.match.agents ?? [] });
    return describePreview(wanted, (await shell.api.send('POST', `${path}/preview`, wanted, budgetPreviewSchema)).data);
  },
};

/** Budgets by label, model, tag, month or session, beside the daily caps. */
export function addNamedBudgetCommands(budgets: Command, shell: Shell): void {
  const list = addCommand(budgets, 'list', 'list all budgets and what is used of them', 'budgets list --each');
  addCsv(list)
    .option('--each', 'also the others that used most of a split budget, at most 20 in all; CSV has them')
    .action(async ({ each = false, csv = false }: { each?: boolean; csv?: boolean }) => {
      if (csv && shell.json) throw new UsageError('--csv and --json exclude each other');
      const answer = await shell.api.get(kind.listPath, kind.list);
      const lines = answer.data.flatMap((stored) => toLines(stored, each || csv));
      if (!csv) return shell.showRows(answer, () => lines, columns);
      await shell.writeCsv([csvColumns, ...lines.map((line) => csvColumns.map((name) => line[name]))]);
    });

  addGet(budgets, shell, kind);
  addApplyCommands(budgets, shell, kind);

  const summary = 'all budgets and daily caps that count such a request, what is left, and which refuses first';
  addCommand(budgets, 'explain', summary, 'budgets explain --agent nightly --model gpt-5')
    .requiredOption('--agent <agent>', 'its name or id; its labels count')
    .option('--model <model>', 'the model that it names; any if it is not given')
    .option('--provider <provider>', 'the provider; any if it is not given')
    .option('--tag <tag>', "the compliance tag; the agent's own if it is not given")
    .action((options: ExplainBudgetOptions) => explainBudgets(shell, options));
}
