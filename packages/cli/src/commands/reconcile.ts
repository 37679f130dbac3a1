import { setGlobalProxyFromEnv } from 'node:http';
import { resolve } from 'node:path';
import {
  agentListSchema,
  costUsageSchema,
  doubtfulUsageListSchema,
  maxPageSize,
  unpricedModelListSchema,
  unrecordedRequestListSchema,
} from '@agp/core/contracts';
import { formatShare } from '@agp/core/explain';
import { labelName, labelValue } from '@agp/core/labels';
import { nanoToUsd } from '@agp/core/money';
import { escapeJson } from '@agp/core/text';
import {
  BillError,
  type BillLine,
  billingApis,
  explainGaps,
  findKnown,
  type Gap,
  type Records,
  readBill,
  sumGaps,
  widenDays,
} from '@agp/invoices';
import { nameLines, nameOnAws, readExport } from '@agp/invoices/aws';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import { type Api, readUrl } from '../api.ts';
import { addCommand, addDays, type Days, type DaysOptions, parseNames, readDays } from '../arguments.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { Shell } from '../shell.ts';
import type { Column } from '../table.ts';

const mostDays = 92;

/** The variables with an administrator's key; with `_FILE` behind them, those of a file. */
const keyVariables = { openai: 'OPENAI_ADMIN_KEY', anthropic: 'ANTHROPIC_ADMIN_KEY' };

/** All of a list that is paged by offset. */
async function readAll<Row>({ get }: Api, path: string, schema: z.ZodType<Row[]>, range: Days): Promise<Row[]> {
  const { data } = await get(path, schema, { ...range, limit: maxPageSize });
  for (let last = data; last.length === maxPageSize; data.push(...last))
    last = (await get(path, schema, { ...range, limit: maxPageSize, offset: data.length })).data;
  return data;
}

/** What is recorded of some days, and what is known to be missing. @param label of whose agents alone */
async function readRecords(api: Api, range: Days, label?: Label): Promise<Records> {
  const group_by = `day,model,provider${label ? `,label:${label.name}` : ''}`;
  const { data } = await api.get('/api/v1/costs/usage', costUsageSchema, { ...range, group_by });
  const withLabel = label && { label: `${label.name}=${label.value}` };
  const agents = label && (await api.get('/api/v1/agents', agentListSchema, withLabel)).data;
  const ids = agents && new Set(agents.map(({ id }) => id));
  const isMeant = ({ agent_id }: { agent_id: string }) => ids?.has(agent_id) !== false;
  const unrecorded = await readAll(api, '/api/v1/costs/unrecorded', unrecordedRequestListSchema, range);
  const doubtful = await readAll(api, '/api/v1/costs/doubtful', doubtfulUsageListSchema, range);
  return {
    usage: data.usage.filter((row) => !label || row.labels?.[label.name] === label.value),
    unpriced: (await api.get('/api/v1/costs/unpriced', unpricedModelListSchema)).data,
    unrecorded: unrecorded.filter(isMeant),
    doubtful: doubtful.filter(isMeant),
  };
}

const cents = (nanoUsd: number) => (Math.round(nanoUsd / 1e7) / 100).toFixed(2).replace(/^-(?=0\.00$)/, '');
/** Of what was billed; null if nothing was. */
const percentOf = (part: number, { billed }: Gap) => (billed === 0 ? null : (100 * part) / billed);
function writePercent(percent: number | null): string {
  if (percent === null) return '-';
  return percent < 1_000 ? `${percent.toFixed(2)} %` : formatShare(percent / 100);
}

const amount = (head: string, name: Exclude<keyof Gap, 'day' | 'model'>, spare?: number): Column<Gap> =>
  Object.assign({ head, right: true, cell: (gap: Gap) => cents(gap[name]) }, spare !== undefined && { spare });

const columns: Column<Gap>[] = [
  amount('RECORDED', 'recorded'),
  amount('BILLED', 'billed'),
  amount('GAP', 'gap'),
  { head: 'GAP %', right: true, cell: (gap) => writePercent(percentOf(gap.gap, gap)) },
  amount('UNRECORDED', 'unrecorded', 3),
  amount('DOUBTFUL', 'doubtful', 2),
  amount('OTHER DAY', 'other_day', 4),
  amount('NO PRICE', 'unpriced', 1),
  amount('NOT HERE', 'beside'),
];

/** Amounts as USD, under names of their own. */
function toRow({ day, model, ...amounts }: Gap) {
  const inUsd = Object.entries(amounts).map(([name, nano]) => [`${name}_usd`, nanoToUsd(nano)]);
  return { day, model, ...Object.fromEntries(inUsd) };
}

/** A table by day with the sum, and one of the models with a gap. */
function drawReport(shell: Shell, gaps: readonly Gap[], total: Gap): string {
  const sumBy = (name: 'day' | 'model') =>
    [...Map.groupBy(gaps, (gap) => gap[name])].map(([key, some]) => sumGaps(some, { day: key, model: key }));
  const models = sumBy('model').filter(({ gap }) => Math.abs(gap) >= 5e6);
  const byDay = shell.drawTable([...sumBy('day'), total], [{ head: 'DAY (UTC)', cell: ({ day }) => day }, ...columns]);
  if (models.length === 0) return byDay;
  return `${byDay}\n\n${shell.drawTable(models, [{ head: 'MODEL', cell: ({ model }) => model, least: 12 }, ...columns])}`;
}

/** What nothing explains, in a line: what was billed beside the proxy, and what was recorded and not billed; null if there is neither. */
function tellBeside(gaps: readonly Gap[], total: Gap, whose: string): string | null {
  const sumParts = (sign: 1 | -1) => gaps.reduce((sum, { beside }) => sum + Math.max(0, sign * beside), 0);
  const [more, less] = [sumParts(1), sumParts(-1)];
  const parts = [
    more >= 5e6 ? `${writePercent(percentOf(more, total))} of what was billed${whose} did not pass here` : '',
    less >= 5e6 ? `${cents(less)} USD recorded was not billed` : '',
  ].filter(Boolean);
  return parts.length === 0 ? null : parts.join('; ');
}

interface Options extends DaysOptions {
  provider: keyof typeof billingApis | 'aws';
  file?: string;
  recordedAs?: string[];
  baseUrl?: string;
  billedTo?: string;
  label?: Label;
  tolerance: number;
  csv?: true;
}

interface Label {
  name: string;
  value: string;
}

function parseLabel(text: string): Label {
  const [name = '', value = ''] = text.split(/=(.*)/s);
  if (labelName.test(name) && labelValue.test(value)) return { name, value };
  throw new InvalidArgumentError('It must be a label with its value, such as team=sales.');
}

function parsePercent(text: string): number {
  if (!/^\d{1,3}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a percentage such as 1 or 0.5.');
  return Number(text);
}

/** By the proxy that the usual variables name, but to this machine. */
async function byEgressProxy<Read>(read: () => Promise<Read>): Promise<Read> {
  const { env } = process;
  const [exempt = ''] = [env.NO_PROXY, env.no_proxy].filter(Boolean);
  const restore = setGlobalProxyFromEnv({ ...env, NO_PROXY: `localhost,127.0.0.1,::1,${exempt}`, no_proxy: undefined });
  try {
    return await read();
  } finally {
    restore();
  }
}

/** What a vendor's API says that it billed. */
function askBill(shell: Shell, provider: keyof typeof billingApis, baseUrl: string | undefined, days: Days) {
  const vendor = billingApis[provider];
  const keyVariable = keyVariables[provider];
  const key = shell.readSecret(keyVariable);
  const address = baseUrl === undefined ? vendor.baseUrl : readUrl(baseUrl, '--base-url');
  return byEgressProxy(() => readBill(vendor, { baseUrl: address, key, keyVariable, days, withAccounts: true }));
}

interface Compared {
  gaps: Gap[];
  /** What was billed beside usage, by its type; absent if the bill does not tell it apart. */
  apart?: Record<string, number>;
}

/** @throws UsageError, CliError */
async function compare(shell: Shell, options: Options, range: Days): Promise<Compared> {
  const { provider, file, baseUrl, billedTo, label, recordedAs } = options;
  if ((provider === 'aws') !== (file !== undefined))
    throw new UsageError('--file is what --provider aws reads, and goes with it alone');
  const days = widenDays(range);
  const isWithin = ({ day }: { day: string }) => day >= range.from && day < range.to;
  const isMeant = ({ accounts }: Pick<BillLine, 'accounts'>) => billedTo === undefined || accounts.includes(billedTo);
  try {
    if (provider !== 'aws') {
      const billed = await askBill(shell, provider, baseUrl, days);
      const known = findKnown(recordedAs ?? [provider], await readRecords(shell.api, days, label));
      return { gaps: explainGaps({ billed: billed.filter(isMeant), ...known }).filter(isWithin) };
    }
    // npm runs scripts in the project's folder, but the user means a path relative to the current one.
    const { lines, apart } = await readExport(resolve(process.env.INIT_CWD || '.', file as string));
    const told = [...lines, ...apart];
    const exported = told.map(({ day }) => day).sort();
    if (!told.some(isWithin))
      throw new BillError(`${file}: no line is of these days: it has ${exported[0]} to ${exported.at(-1)}`);
    if (billedTo !== undefined && told.every(({ accounts: [account] }) => account === undefined))
      throw new BillError(`${file}: --billed-to asks for the column line_item_usage_account_id, which is not there`);
    const ids = recordedAs ?? ['bedrock'];
    const records = await readRecords(shell.api, days, label);
    const none = ids.filter((id) => !records.usage.some((row) => row.provider === id));
    if (none.length > 0)
      shell.terminal.note(`nothing is recorded of ${none.join(', ')}: --recorded-as says which ids are meant`);
    const known = findKnown(ids, records, nameOnAws);
    const recorded = [...known.recorded];
    const billed = nameLines(
      lines,
      recorded.map(({ model }) => model),
    ).filter((line) => isMeant(line) && line.day >= days.from && line.day < days.to);
    const types = Map.groupBy(
      apart.filter((line) => isWithin(line) && isMeant(line)),
      ({ type }) => type,
    );
    const sums = [...types].map(([type, some]) => [type, some.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0)] as const);
    return {
      gaps: explainGaps({ ...known, recorded, billed }).filter(isWithin),
      apart: Object.fromEntries(sums),
    };
  } catch (error) {
    throw error instanceof BillError ? new CliError(error.message) : error;
  }
}

/** `costs reconcile`: what is recorded beside what the provider billed. */
export function addReconcileCommand(costs: Command, shell: Shell): void {
  const summary =
    "compare with what the provider billed, by day and model; takes the provider's admin key from OPENAI_ADMIN_KEY or ANTHROPIC_ADMIN_KEY, or the file that one of these with _FILE names; for aws a cost export";
  addDays(addCommand(costs, 'reconcile', summary, 'costs reconcile --provider openai --month last'))
    .addOption(
      new Option('--provider <name>', 'whose bill').choices([...Object.keys(billingApis), 'aws']).makeOptionMandatory(),
    )
    .option('--file <export>', 'a CUR 2.0 export of AWS, as .csv or .csv.gz')
    .option(
      '--recorded-as <ids>',
      "the provider's ids here, with commas between them (its name; for aws bedrock)",
      parseNames,
    )
    .option(
      '--billed-to <id>',
      'only what was billed to this project or API key of OpenAI, workspace of Anthropic, or account of AWS; with --label, since records name none',
    )
    .option('--label <label>', 'only what agents with it had recorded, such as team=sales', parseLabel)
    .option('--tolerance <percent>', 'how large a gap ends with 0', parsePercent, 1)
    .option('--base-url <url>', "another address of the provider's API")
    .option('--csv', 'print CSV, a row a day and model')
    .action(async (options: Options) => {
      if (options.csv && shell.json) throw new UsageError('--csv and --json exclude each other');
      const { provider, tolerance, billedTo, label } = options;
      if ((billedTo === undefined) !== (label === undefined))
        throw new UsageError(
          'records do not name the project, key or workspace that paid: give --billed-to and --label together, for what was billed to it and what agents with the label had recorded',
        );
      const range = readDays(options, mostDays);
      const { gaps, apart } = await compare(shell, options, range);
      const total = sumGaps(gaps, { day: 'total', model: 'total' });
      const rows = gaps.map(toRow);
      const besideUsage = Object.entries(apart ?? {}).map(([type, nano]) => [type, nanoToUsd(nano)] as const);
      const report = {
        ...{ provider, ...range, gap_percent: percentOf(total.gap, total), total: toRow(total), rows },
        ...(apart && { apart_usd: Object.fromEntries(besideUsage) }),
      };
      const lines = [Object.keys(report.total), ...rows.map((row) => Object.values(row))];
      if (shell.json) await shell.terminal.print(escapeJson(JSON.stringify(report)));
      else if (options.csv) await shell.writeCsv(lines);
      else await shell.terminal.print(drawReport(shell, gaps, total));
      const beside = tellBeside(gaps, total, billedTo === undefined ? '' : ` to ${billedTo}`);
      if (beside !== null) shell.terminal.note(beside);
      if (besideUsage.length > 0)
        shell.terminal.note(
          `not compared: ${besideUsage.map(([type, usd]) => `${type} ${usd.toFixed(2)} USD`).join(', ')}`,
        );
      const percent = writePercent(report.gap_percent);
      if (Math.abs(total.gap) > (tolerance * total.billed) / 100)
        throw new CliError(`The gap is ${cents(total.gap)} USD (${percent}), more than ${tolerance} %.`);
    });
}
