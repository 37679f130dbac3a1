import { maxDailyCapUsd, maxPageSize } from '@agp/core/contracts';
import { ceilToNano } from '@agp/core/money';
import { type Command, InvalidArgumentError } from 'commander';

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
export function parseWhole(min: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,15}$/.test(text) || Number(text) < min) {
      throw new InvalidArgumentError(`It must be a whole number of at least ${min}.`);
    }
    return Number(text);
  };
}

/** How many entries a list may have, from 1 to what the API gives at once. */
export function parsePageSize(text: string): number {
  const size = parseWhole(1)(text);
  if (size > maxPageSize) throw new InvalidArgumentError(`It must be at most ${maxPageSize}.`);
  return size;
}

/** Names separated by commas. */
export function parseNames(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

/** Adds a command to a group or the program, with an example under its help. */
export function addCommand(group: Command, usage: string, summary: string, example: string): Command {
  const program = (group.parent ?? group).name();
  return group.command(usage).description(summary).addHelpText('after', `\nExample:\n  ${program} ${example}`);
}

/** Options of a list that the API gives page by page. @param most entries at once; any number if undefined */
export function addPaging(command: Command, limit?: number, most?: number): Command {
  return command
    .option(
      '--limit <n>',
      most === undefined ? 'at most so many' : `at most so many, up to ${most}`,
      most === undefined ? parseWhole(1) : parsePageSize,
      limit,
    )
    .option('--offset <n>', 'leave out so many at the start', parseWhole(0));
}

export interface ReasonOption {
  reason?: string;
}

/** The option of a change that says why it is made. */
export function addReason(command: Command): Command {
  return command.option('--reason <text>', 'why, for the audit log: at most 256 printable characters');
}

/** The options of a range of time, which the API reads. */
export function addTimeRange(command: Command): Command {
  return command
    .option(
      '--from <time>',
      'only those since 7d, 24h, 30m, today, yesterday, 2026-11-20 or an ISO 8601 time; days are UTC',
    )
    .option('--to <time>', 'only those before such a time');
}

/** Options of a list: agent and time range. */
export function addFilters(command: Command): Command {
  return addTimeRange(command.option('--agent <agent>', 'only those of this agent, by name or id'));
}

/** The same with the options of a page. */
export function addRequestFilters(command: Command): Command {
  return addPaging(addFilters(command), 50, maxPageSize);
}

/** The options of a list that the API also has as CSV. */
export function addCsv(command: Command, isPaged = false): Command {
  const withCsv = command.option(
    '--csv',
    'print CSV; text that a spreadsheet would compute has an apostrophe before it',
  );
  return isPaged
    ? withCsv.option('--all', 'with --csv or --json: every page, not only --limit; as JSON a page a line')
    : withCsv;
}
