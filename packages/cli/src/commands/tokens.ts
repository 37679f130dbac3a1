import {
  agentEventListSchema,
  agentListSchema,
  agentTokenListSchema,
  claimedNameListSchema,
  createdAgentTokenSchema,
} from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import { toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import type { Api } from '../api.ts';
import { addCommand, addReason, parseExpiry } from '../arguments.ts';
import { CliError } from '../cli-error.ts';
import { addList, addRemoval } from '../list.ts';
import type { Shell } from '../shell.ts';
import { formatTime, timeColumn } from '../table.ts';

const dayMs = 86_400_000;
/** Requests that are counted: whether there are more makes no difference. */
const mostCounted = 1_000;

/** The requests with a name but no token, which a first token for the name will refuse. */
async function describeRefusals(api: Api, name: string): Promise<string | null> {
  const agents = await api.get('/api/v1/agents', agentListSchema);
  const agent = agents.data.find((each) => each.name === name);
  if (agent === undefined) return null;
  const claimed = await api.get('/api/v1/claimed-names', claimedNameListSchema);
  if (claimed.data.some((each) => each.name === name)) return null;
  const from = new Date(agents.answeredAt - dayMs).toISOString();
  const path = `/api/v1/agents/${agent.id}/events`;
  const { data: events, next } = await api.get(path, agentEventListSchema, { from, limit: mostCounted });
  const [latest] = events;
  if (latest === undefined) return null;
  const count = `${formatCount(events.length)}${next === null ? '' : ' or more'} ${events.length === 1 ? 'request' : 'requests'}`;
  return (
    `${toLineText(name)} made ${count} without a token in the last 24 hours, the latest at ${formatTime(latest.timestamp)} ` +
    `from ${toLineText(agent.source_ip)}. From its first token on, each request in this name without a token gets 401.`
  );
}

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
      const answer = await shell.api.send('POST', '/api/v1/agent-tokens', input, createdAgentTokenSchema, { reason });
      await shell.showSecret(answer, (token) => [
        ['id', token.id],
        ['agent', token.agent_name],
        ['expires', formatTime(token.expires_at)],
        ['secret', token.secret],
      ]);
    });

  addList(tokens, shell, 'list', 'list all tokens, without secrets', {
    path: '/api/v1/agent-tokens',
    schema: agentTokenListSchema,
    columns: [
      { head: 'AGENT', cell: ({ agent_name }) => agent_name, least: 8 },
      { head: 'EXCHANGED FOR', cell: ({ identity }) => identity ?? '-', spare: 1 },
      timeColumn('CREATED', 'created_at'),
      timeColumn('EXPIRES', 'expires_at'),
      { head: 'ID', cell: ({ id }) => id },
    ],
  });
  addRemoval(tokens, shell, 'revoke <id>', 'revoke a token: the next request with it fails', {
    example: 'tokens revoke tok_...',
    path: '/api/v1/agent-tokens',
    now: 'revoked',
  });
}

/** `names`: the names that need a token. */
export function addNameCommands(program: Command, shell: Shell): void {
  const names = program.command('names').description('names that a token was made for, and that need one since');
  addList(names, shell, 'list', 'list claimed names', {
    path: '/api/v1/claimed-names',
    schema: claimedNameListSchema,
    columns: [
      { head: 'NAME', cell: ({ name }) => name, least: 12 },
      timeColumn('CLAIMED', 'claimed_at'),
      { head: 'WORKLOAD OF', cell: ({ identity }) => (identity === '' ? 'an issuer that is gone' : (identity ?? '-')) },
      { head: 'TOKENS', right: true, cell: ({ token_count }) => formatCount(token_count) },
    ],
  });
  addRemoval(names, shell, 'release <name>', 'give a name back: without a token left, any agent may declare it again', {
    example: 'names release invoice-checker',
    path: '/api/v1/claimed-names',
    now: 'free',
  });
}
