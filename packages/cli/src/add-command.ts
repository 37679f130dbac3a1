import { maxPageSize } from '@agp/core/contracts';
import type { Command } from 'commander';
import { parsePageSize, parseWhole } from './parse-arguments.ts';

/**
 * Adds a command to a group or the program, with an example under its help.
 *
 * @param usage name and arguments: `block <agent>`
 * @param example without the program's name
 */
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
