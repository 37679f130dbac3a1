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

/** Options of a list of requests: agent, time range and page. */
export function addRequestFilters(command: Command): Command {
  const filtered = command
    .option('--agent <agent>', 'only those of this agent, by name or id')
    .option('--from <time>', 'only those of this time or later')
    .option('--to <time>', 'only those before this time');
  return addPaging(filtered, 50, maxPageSize);
}
