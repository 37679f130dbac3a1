import { consoleLinkSchema, consoleSessionListSchema } from '@agp/core/contracts';
import type { Command } from 'commander';
import { addCommand, addReason, type ReasonOption } from '../arguments.ts';
import { addList, addRemoval } from '../list.ts';
import type { Shell } from '../shell.ts';
import { formatTime, timeColumn } from '../table.ts';

/** `console`: signing in to the page in a browser, and who is signed in. */
export function addConsoleCommands(program: Command, shell: Shell): void {
  const group = program.command('console').description('the page in a browser: signing in, and who is signed in');

  addReason(
    addCommand(group, 'link', 'make a link that signs a browser in once, within ten minutes', 'console link'),
  ).action(async ({ reason }: ReasonOption) => {
    const link = await shell.api.send('POST', '/api/v1/console/links', undefined, consoleLinkSchema, { reason });
    await shell.showFields(link, ({ path, expires_at }) => [
      ['open', `${shell.api.url}${path}`],
      ['works until', formatTime(expires_at)],
    ]);
  });

  addList(group, shell, 'sessions', 'list who is signed in', {
    path: '/api/v1/console/sessions',
    schema: consoleSessionListSchema,
    columns: [
      { head: 'NAME', cell: ({ name }) => name, least: 8 },
      { head: 'ROLE', cell: ({ role }) => role },
      { head: 'FROM', cell: ({ source_ip }) => source_ip, spare: 1 },
      timeColumn('LAST USED', 'last_used_at'),
      { head: 'ID', cell: ({ id }) => id },
    ],
  });
  addRemoval(group, shell, 'end <id>', "end a session: its browser's next request is refused", {
    example: 'console end con_...',
    path: '/api/v1/console/sessions',
    now: 'ended',
  });
}
