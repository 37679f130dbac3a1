import { consoleLinkSchema, consoleSessionListSchema } from '@agp/core/contracts';
import type { Command } from 'commander';
import { writeQuery } from '../api.ts';
import { addCommand, addReason, type ReasonOption } from '../arguments.ts';
import type { Shell } from '../shell.ts';
import { timeColumn } from '../table.ts';
import { formatTime } from '../values.ts';

/** `console`: signing in to the page in a browser, and who is signed in. */
export function addConsoleCommands(program: Command, shell: Shell): void {
  const group = program.command('console').description('the page in a browser: signing in, and who is signed in');

  addReason(
    addCommand(group, 'link', 'make a link that signs a browser in once, within ten minutes', 'console link'),
  ).action(async ({ reason }: ReasonOption) => {
    const link = await shell.api.send(
      'POST',
      writeQuery('/api/v1/console/links', { reason }),
      undefined,
      consoleLinkSchema,
    );
    await shell.showFields(link, ({ path, expires_at }) => [
      ['open', `${shell.api.url}${path}`],
      ['works until', formatTime(expires_at)],
    ]);
  });

  addCommand(group, 'sessions', 'list who is signed in', 'console sessions').action(() =>
    shell.showList('/api/v1/console/sessions', consoleSessionListSchema, [
      { head: 'NAME', cell: ({ name }) => name, least: 8 },
      { head: 'ROLE', cell: ({ role }) => role },
      { head: 'FROM', cell: ({ source_ip }) => source_ip, spare: 1 },
      timeColumn('LAST USED', ({ last_used_at }) => last_used_at),
      { head: 'ID', cell: ({ id }) => id },
    ]),
  );

  addReason(
    addCommand(group, 'end <id>', "end a session: its browser's next request is refused", 'console end con_...'),
  ).action(async (id: string, { reason }: ReasonOption) => {
    await shell.api.delete(writeQuery(`/api/v1/console/sessions/${encodeURIComponent(id)}`, { reason }));
    if (!shell.json) await shell.terminal.print(`${id} is ended`);
  });
}
