import type { Command } from 'commander';

/**
 * Adds a command to a group, with an example under its help.
 *
 * @param usage its name and arguments: `block <agent>`
 * @param example what stands behind the program's name
 */
export function addCommand(group: Command, usage: string, summary: string, example: string): Command {
  const program = group.parent?.name() ?? '';
  return group.command(usage).description(summary).addHelpText('after', `\nExample:\n  ${program} ${example}`);
}
