import { claimedNameListSchema } from '@agp/core/contracts';
import { toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { addCommand, addReason, type ReasonOption } from '../add-command.ts';
import type { Shell } from '../create-shell.ts';
import { timeColumn } from '../format/format-table.ts';
import { formatCount } from '../format/format-values.ts';
import { writeQuery } from '../write-query.ts';

/** `names`: the names that need a token. */
export function addNameCommands(program: Command, shell: Shell): void {
  const names = program.command('names').description('names that a token was made for, and that need one since');

  addCommand(names, 'list', 'list claimed names', 'names list').action(() =>
    shell.showList('/api/v1/claimed-names', claimedNameListSchema, [
      { head: 'NAME', cell: ({ name }) => name, least: 12 },
      timeColumn('CLAIMED', ({ claimed_at }) => claimed_at),
      { head: 'TOKENS', right: true, cell: ({ token_count }) => formatCount(token_count) },
    ]),
  );

  const release = addCommand(
    names,
    'release <name>',
    'give a name back: without a token left, any agent may declare it again',
    'names release invoice-checker',
  );
  addReason(release).action(async (name: string, { reason }: ReasonOption) => {
    await shell.api.delete(writeQuery(`/api/v1/claimed-names/${encodeURIComponent(name)}`, { reason }));
    if (!shell.json) await shell.terminal.print(`${toLineText(name)} is free`);
  });
}
