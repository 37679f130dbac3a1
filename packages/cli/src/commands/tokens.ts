import { agentTokenListSchema, createdAgentTokenSchema } from '@agp/core/contracts';
import type { Command } from 'commander';
import { addCommand, addReason, type ReasonOption } from '../add-command.ts';
import { CliError } from '../cli-error.ts';
import type { Shell } from '../create-shell.ts';
import { describeRefusals } from '../describe-refusals.ts';
import { timeColumn } from '../format/format-table.ts';
import { formatTime } from '../format/format-values.ts';
import { parseExpiry } from '../parse-arguments.ts';
import { writeQuery } from '../write-query.ts';

/** `tokens`: agents prove their names with them. */
export function addTokenCommands(program: Command, shell: Shell): void {
  const tokens = program.command('tokens').description('tokens that agents prove their names with');

  const create = addCommand(
    tokens,
    'create <agent-name>',
    'make a token for an agent; its secret is shown this once, and its name needs a token from then on',
    'tokens create invoice-checker --expires 30d',
  );
  addReason(create)
    .option('--expires <when>', 'a span such as 90d or 12h, or a time', parseExpiry)
    .option('--yes', 'do not ask, even if agents that use the name without a token will be refused')
    .action(async (agentName: string, { expires, yes, reason }) => {
      const warning = yes ? null : await describeRefusals(shell.api, agentName);
      if (warning !== null) {
        const wanted = await shell.terminal.confirm(`${warning} Make the token?`);
        if (wanted === null) throw new CliError(`${warning} Nothing was made; --yes makes the token all the same`);
        if (!wanted) throw new CliError('Nothing was made');
      }
      const input = { agent_name: agentName, ...(expires && { expires_at: expires }) };
      const answer = await shell.api.send(
        'POST',
        writeQuery('/api/v1/agent-tokens', { reason }),
        input,
        createdAgentTokenSchema,
      );
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
      { head: 'AGENT', cell: ({ agent_name }) => agent_name, least: 8 },
      timeColumn('CREATED', ({ created_at }) => created_at),
      timeColumn('EXPIRES', ({ expires_at }) => expires_at),
      { head: 'ID', cell: ({ id }) => id },
    ]),
  );

  addReason(
    addCommand(tokens, 'revoke <id>', 'revoke a token: the next request with it fails', 'tokens revoke tok_...'),
  ).action(async (id: string, { reason }: ReasonOption) => {
    await shell.api.delete(writeQuery(`/api/v1/agent-tokens/${encodeURIComponent(id)}`, { reason }));
    if (!shell.json) await shell.terminal.print(`${id} is revoked`);
  });
}
