import { type ApiKey, apiKeyListSchema, createdApiKeySchema, type Team, writeTeam } from '@agp/core/contracts';
import type { Command } from 'commander';
import { addCommand, addReason, parseExpiry, parseNames, parseTeam, parseWhole } from '../arguments.ts';
import { addList, addRemoval } from '../list.ts';
import type { Shell } from '../shell.ts';
import { formatTime, timeColumn } from '../table.ts';

const nameView = ({ match }: { match: Team | null }): string => (match === null ? '' : writeTeam(match));

function listFields(key: ApiKey & { secret: string }): [string, string][] {
  return [
    ['id', key.id],
    ['name', key.name],
    ['scopes', key.scopes.join(', ')],
    ['view', nameView(key) || 'the whole installation'],
    ['expires', formatTime(key.expires_at)],
    ['secret', key.secret],
  ];
}

/** `keys`: keys to the management API. */
export function addKeyCommands(program: Command, shell: Shell): void {
  const keys = program.command('keys').description('keys to the management API');

  const create = addCommand(
    keys,
    'create <name>',
    'make a key; its secret is shown this once',
    'keys create dashboard --scopes read --expires 90d',
  );
  addReason(create)
    .requiredOption('--scopes <scopes>', 'what it allows: read, write, admin, separated by commas', parseNames)
    .option('--expires <when>', 'a span such as 90d or 12h, or a time', parseExpiry)
    .option(
      '--match <labels>',
      'only the view of the agents with these labels, such as team=search,env=prod',
      parseTeam,
    )
    .action(async (name: string, { scopes, expires, match, reason }) => {
      const input = { name, scopes, match, ...(expires && { expires_at: expires }) };
      const answer = await shell.api.send('POST', '/api/v1/keys', input, createdApiKeySchema, { reason });
      await shell.showSecret(answer, listFields);
    });

  addList(keys, shell, 'list', 'list all keys, without secrets', {
    path: '/api/v1/keys',
    schema: apiKeyListSchema,
    columns: [
      { head: 'NAME', cell: ({ name }) => name, least: 8 },
      { head: 'SCOPES', cell: ({ scopes }) => scopes.join(','), least: 5 },
      { head: 'VIEW', cell: nameView, least: 8 },
      timeColumn('EXPIRES', 'expires_at'),
      { ...timeColumn('LAST USED', 'last_used_at'), spare: 1 },
      { ...timeColumn('OLD SECRET UNTIL', 'previous_secret_expires_at'), spare: 2 },
      { head: 'ID', cell: ({ id }) => id },
    ],
  });

  addReason(addCommand(keys, 'rotate <id>', 'give a key a new secret', 'keys rotate key_... --overlap 3600'))
    .option('--overlap <seconds>', 'how long the old secret still works after the rotation', parseWhole(0), 0)
    .action(async (id: string, { overlap, reason }) => {
      const path = `/api/v1/keys/${encodeURIComponent(id)}/rotate`;
      const body = { overlap_seconds: overlap };
      const answer = await shell.api.send('POST', path, body, createdApiKeySchema, { reason });
      await shell.showSecret(answer, (key) => [
        ...listFields(key),
        ['old secret works until', formatTime(key.previous_secret_expires_at)],
      ]);
    });

  addRemoval(keys, shell, 'delete <id>', 'delete a key: it stops working at once', {
    example: 'keys delete key_...',
    path: '/api/v1/keys',
    now: 'deleted',
  });
}
