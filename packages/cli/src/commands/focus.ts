import { type CostUsageEntry, costUsageSchema } from '@agp/core/contracts';
import type { Command } from 'commander';
import { addCommand, addDays, type DaysOptions, parseNames, readDays } from '../arguments.ts';
import { UsageError } from '../cli-error.ts';
import type { Shell } from '../shell.ts';

const mostDays = 366;

/** The start of a UTC day so many days or months later, as FOCUS writes times. */
function writeTime(day: string, { days = 0, months = 0 }): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months, date + days)).toISOString().replace('.000Z', 'Z');
}

const cost = (row: CostUsageEntry) => row.total_cost_usd;
const tokens = (row: CostUsageEntry) => row.total_tokens;
const provider = (row: CostUsageEntry) => row.provider;
const dayOf = ({ day = '' }: CostUsageEntry) => day;
const monthOf = ({ day = '' }: CostUsageEntry) => `${day.slice(0, 7)}-01`;

function tagsOf({ labels = {} }: CostUsageEntry): object | null {
  const given = Object.entries(labels).filter(([, value]) => value !== null);
  return given.length === 0 ? null : Object.fromEntries(given);
}

/**
 * Columns of version 1.2 of the FinOps Open Cost and Usage Specification (FOCUS), and ours behind them. Unit prices and their ids are left
 * out: a row has all kinds of tokens, whose costs are not recorded apart. All costs are the recorded one, at the prices that hold here.
 */
const columns: Readonly<Record<string, (row: CostUsageEntry) => unknown>> = {
  BilledCost: cost,
  BillingAccountId: provider,
  BillingAccountName: () => null,
  BillingCurrency: () => 'USD',
  BillingPeriodEnd: (row) => writeTime(monthOf(row), { months: 1 }),
  BillingPeriodStart: (row) => writeTime(monthOf(row), {}),
  ChargeCategory: () => 'Usage',
  ChargeClass: () => null,
  ChargeDescription: (row) => `Tokens of ${row.model}`,
  ChargeFrequency: () => 'Usage-Based',
  ChargePeriodEnd: (row) => writeTime(dayOf(row), { days: 1 }),
  ChargePeriodStart: (row) => writeTime(dayOf(row), {}),
  ConsumedQuantity: tokens,
  ConsumedUnit: () => 'Tokens',
  ContractedCost: cost,
  EffectiveCost: cost,
  InvoiceIssuerName: provider,
  ListCost: cost,
  PricingQuantity: tokens,
  PricingUnit: () => 'Tokens',
  ProviderName: provider,
  PublisherName: provider,
  ResourceId: (row) => row.agent_id,
  ResourceName: (row) => row.agent_name,
  ResourceType: () => 'Agent',
  ServiceCategory: () => 'AI and Machine Learning',
  ServiceName: (row) => `${row.provider} API`,
  ServiceSubcategory: () => 'Generative AI',
  SkuId: (row) => row.model,
  SkuMeter: () => 'Tokens',
  Tags: tagsOf,
  x_InputTokens: (row) => row.total_prompt_tokens,
  x_OutputTokens: (row) => row.total_completion_tokens,
  x_RequestCount: (row) => row.request_count,
};

/** `costs export`: a row for each agent, model, provider and UTC day, read and printed a day at a time. */
export function addExportCommand(costs: Command, shell: Shell): void {
  const summary = 'print costs as CSV in the columns of FOCUS 1.2, a row for each agent, model, provider and UTC day';
  addDays(addCommand(costs, 'export', summary, 'costs export --focus --month last --label team'))
    .requiredOption('--focus', 'in the columns of FOCUS 1.2')
    .option(
      '--label <names>',
      'labels that become tags, with commas between them; a row for each of their values',
      parseNames,
    )
    .action(async ({ label = [], ...given }: DaysOptions & { label?: string[] }) => {
      if (shell.json) throw new UsageError('--json does not go with CSV');
      const { from, to } = readDays(given, mostDays);
      const groups = ['day', 'agent', 'model', 'provider', ...label.map((name) => `label:${name}`)].join(',');
      await shell.writeCsv([Object.keys(columns)]);
      for (let day = from; day < to; day = writeTime(day, { days: 1 }).slice(0, 10)) {
        const range = { from: day, to: writeTime(day, { days: 1 }) };
        const { data } = await shell.api.get('/api/v1/costs/usage', costUsageSchema, { ...range, group_by: groups });
        await shell.writeCsv(data.usage.map((row) => Object.values(columns).map((write) => write(row))));
      }
    });
}
