import { agentTokenListSchema, createdAgentTokenSchema } from '@agp/core/contracts';
import type { Command } from 'commander';
import { addCommand } from '../add-command.ts';
import type { Shell } from '../create-shell.ts';
import { formatTime } from '../format/format-values.ts';
import { parseExpiry } from '../parse-arguments.ts';

/** `tokens`: agents prove their names with them. */
export function addTokenCommands(program: Command, shell: Shell): void {
  const tokens = program.command('tokens').description('tokens that agents prove their names with');

  addCommand(
    tokens,
    'create <agent-name>',
    'make a token for an agent; its secret is shown this once, and its name needs a token from then on',
    'tokens create invoice-checker --expires 30d',
  )
    .option('--expires <when>', 'a span such as 90d or 12h, or a time', parseExpiry)
    .action(async (agentName: string, { expires }) => {
      const input = { agent_name: agentName, ...(expires && { expires_at: expires }) };
      const answer = await shell.api.send('POST', '/api/v1/agent-tokens', input, createdAgentTokenSchema);
      await shell.showFields(answer, (token) => [
        ['id', token.id],
        ['agent', token.agent_name],
        ['expires', formatTime(token.expires_at)],
        ['secret', token.secret],
      ]);
      shell.terminal.note('The secret is shown this once: keep it now.');
    });

  addCommand(tokens, 'list', 'list all tokens, without secrets', 'tokens list').action(() =>
    shell.showList('/api/v1/agent-tokens', agentTokenListSchema, [
      { head: 'AGENT', cell: ({ agent_name }) => agent_name },
      { head: 'CREATED', cell: ({ created_at }) => formatTime(created_at) },
      { head: 'EXPIRES', cell: ({ expires_at }) => formatTime(expires_at) },
      { head: 'ID', cell: ({ id }) => id },
    ]),
  );

  addCommand(tokens, 'revoke <id>', 'revoke a token: the next request with it fails', 'tokens revoke tok_...').action(
    async (id: string) => {
      await shell.api.delete(`/api/v1/agent-tokens/${encodeURIComponent(id)}`);
      if (!shell.json) await shell.terminal.print(`${id} is revoked`);
    },
  );
}
