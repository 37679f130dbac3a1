import { changeQuerySchema, maxDailyCapUsd, readTime, type Team, teamWordsSchema } from '@agp/core/contracts';
import { shortNames } from '@agp/core/explain';
import { ceilToNano } from '@agp/core/money';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { UsageError } from './cli-error.ts';

/** Milliseconds of each unit of a span. */
const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** `30d`, `12h`, `45m`, or a time; as ISO 8601 in UTC. */
export function parseExpiry(text: string): string {
  const [, amount = '', unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const time = unitMs[unit] !== undefined ? Date.now() + Number(amount) * unitMs[unit] : Date.parse(text);
  if (unitMs[unit] === undefined && (!isoTime.test(text) || Number.isNaN(time))) {
    throw new InvalidArgumentError(
      'It must be a span such as 30d, 12h or 45m, or a time such as 2027-01-31T00:00:00Z.',
    );
  }
  return new Date(time).toISOString();
}

/** An amount of USD as a program may print it, rounded up to the nano-dollar, or `none`. */
export function parseUsd(text: string): number | null {
  if (text === 'none') return null;
  const usd = Number(text);
  if (!/^\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text) || usd > maxDailyCapUsd) {
    throw new InvalidArgumentError(`It must be an amount of USD such as 12.50, up to ${maxDailyCapUsd}, or none.`);
  }
  return ceilToNano(usd);
}

/** A whole number of at least 1, or `none`. */
export function parseRate(text: string): number | null {
  if (text === 'none') return null;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1, or none.');
  return Number(text);
}

/** A whole number of at least `min`. */
export function parseWhole(min: number, max = Number.POSITIVE_INFINITY): (text: string) => number {
  return (text) => {
    if (!/^\d{1,15}$/.test(text) || Number(text) < min)
      throw new InvalidArgumentError(`It must be a whole number of at least ${min}.`);
    if (Number(text) > max) throw new InvalidArgumentError(`It must be at most ${max}.`);
    return Number(text);
  };
}

/** The first day of a month, `2026-10`, `this` or `last`, and of the one after it; UTC. */
function parseMonth(text: string, now = new Date()): Days {
  const back = ['this', 'last'].indexOf(text);
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined && back < 0) throw new InvalidArgumentError('must be a month such as 2026-10, this or last.');
  const first = (later: number) =>
    new Date(
      Date.UTC(Number(year ?? now.getUTCFullYear()), (back < 0 ? Number(month) - 1 : now.getUTCMonth() - back) + later),
    )
      .toISOString()
      .slice(0, 10);
  return { from: first(0), to: first(1) };
}

/** The option `--month`, which excludes `--from` and `--to` and gives both. */
export function makeMonthOption(): Option {
  return new Option('--month <month>', 'only that of 2026-10, or of this or last month, UTC')
    .argParser((text) => parseMonth(text))
    .conflicts(['from', 'to']);
}

function parseDay(text: string): string {
  const time = readTime(text);
  if (time === null || time.getTime() % 86_400_000 !== 0)
    throw new InvalidArgumentError('It must be a UTC day such as 2026-11-20, today or yesterday.');
  return time.toISOString().slice(0, 10);
}

/** A range of UTC days: the first, and the one after the last. */
export interface Days {
  from: string;
  to: string;
}

export interface DaysOptions extends Partial<Days> {
  month?: Days;
}

/** Adds `--from`, `--to` and `--month`, of which {@link readDays} makes a range. */
export function addDays(command: Command): Command {
  return command
    .option('--from <day>', 'the first day, UTC: 2026-11-20, yesterday', parseDay)
    .option('--to <day>', 'the day after the last', parseDay)
    .addOption(makeMonthOption());
}

/** Throws a UsageError unless the range begins, ends and has at most `most` days. */
export function readDays({ month, from = '', to = '' }: DaysOptions, most: number): Days {
  const days = month ?? { from, to };
  const count = (Date.parse(days.to) - Date.parse(days.from)) / 86_400_000;
  if (Number.isNaN(count)) throw new UsageError('--from and --to must be given, or --month');
  if (count < 1 || count > most) throw new UsageError(`--to must be 1 to ${most} days after --from`);
  return days;
}

/** Names separated by commas. */
export function parseNames(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

/** Labels, `team=search`, separated by commas. */
export function parseTeam(text: string): Team {
  const { data, error } = teamWordsSchema.safeParse(parseNames(text));
  if (error) throw new InvalidArgumentError(`It ${error.issues[0]?.message}.`);
  return data;
}

/** Adds a command to a group or the program, with an example under its help. @param isDefault if the group's name alone means it */
export function addCommand(
  group: Command,
  usage: string,
  summary: string,
  example: string,
  isDefault = false,
): Command {
  let program = group;
  while (program.parent !== null) program = program.parent;
  return group
    .command(usage, { isDefault })
    .description(summary)
    .addHelpText('after', `\nExample:\n  ${program.name()} ${example}`);
}

/** Members of a query as its JSON schema has them. */
interface Member {
  type?: string;
  description?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  /** What the API takes if it is not given. */
  override?: { default?: unknown };
}

interface QuerySettings {
  /** Entries of a list, if the user does not say how many. */
  limit?: number;
  /** Values of members that take several between commas, which the API itself does not name. */
  choices?: Readonly<Record<string, readonly string[]>>;
}

/** Takes some of these between commas. */
function parseSome(known: readonly string[]): (text: string) => string {
  return (text) => {
    const names = parseNames(text);
    if (names.every((name) => known.includes(name))) return names.join(',');
    throw new InvalidArgumentError(`Allowed are ${known.join(', ')}, with commas between them.`);
  };
}

/**
 * Adds an option for each member of a query of the API, as its schema says; `cursor` and `expand` are the command's own.
 * @returns the members by the names of their options
 */
export function addQuery(
  command: Command,
  query: z.ZodObject,
  { limit, choices = {} }: QuerySettings = {},
): ReadonlyMap<string, string> {
  const members = Object.entries(query.shape).filter(([name]) => name !== 'cursor' && name !== 'expand');
  return new Map(
    members.map(([name, schema]) => {
      const field = z.toJSONSchema(schema as z.ZodType, { io: 'input' }) as Member;
      const { type, minimum = 0, maximum } = field;
      const flag = shortNames[name] ?? name.replaceAll('_', '-');
      const kind = type === 'integer' ? 'n' : name === 'from' || name === 'to' ? 'time' : flag.split('-').at(-1);
      const words = field.description?.replaceAll('`', '').replace(/^[A-Z](?=[a-z])/, (at) => at.toLowerCase());
      const option = new Option(
        type === 'boolean' ? `--${flag}` : `--${flag} <${kind}>`,
        name === 'agent_id' ? `${words}, by name or id` : words,
      );
      if (field.enum && type !== 'boolean') option.choices(field.enum);
      if (choices[name]) option.argParser(parseSome(choices[name]));
      if (type === 'integer') option.argParser(parseWhole(minimum, maximum));
      if (name === 'limit') option.default(limit ?? field.override?.default);
      command.addOption(option);
      return [option.attributeName(), name];
    }),
  );
}

export interface ReasonOption {
  reason?: string;
}

/** The option of a change that says why it is made. */
export function addReason(command: Command): Command {
  addQuery(command, changeQuerySchema);
  return command;
}
