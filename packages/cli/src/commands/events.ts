import { type Event, eventListSchema, type StreamEvent } from '@agp/core/contracts';
import { escapeJson, toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { addCommand, addRequestFilters } from '../add-command.ts';
import type { Shell } from '../create-shell.ts';
import { type AgentNames, findGivenAgentId, readAgentNames } from '../find-agent.ts';
import { timeColumn } from '../format/format-table.ts';
import { formatCount, formatTime, formatUsd } from '../format/format-values.ts';
import type { Paint } from '../open-terminal.ts';
import { tailEvents } from '../tail/tail-events.ts';
import { writeQuery } from '../write-query.ts';

/** One event as one line, not a table row: a tail cannot know how wide its columns must be. */
function formatLine(event: StreamEvent, agentName: string, paint: Paint): string {
  const found =
    event.pii_types === undefined ? '' : `  ${paint('yellow', `PII: ${toLineText(event.pii_types.join(','))}`)}`;
  const figures = `${formatCount(event.prompt_tokens)} in, ${formatCount(event.completion_tokens)} out, ${formatUsd(event.cost_usd)} USD`;
  const head = `${paint('dim', formatTime(event.timestamp))}  ${paint('bold', toLineText(agentName))}`;
  return `${head}  ${toLineText(event.model)}  ${figures}  ${paint('dim', toLineText(event.session_id))}${found}`;
}

/** Runs until a signal. */
async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, end);
  try {
    await work(ended.signal);
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}

/** `events`: what was recorded, and what is recorded now. */
export function addEventCommands(program: Command, shell: Shell): void {
  const events = program.command('events').description('what agents did, each request an event');

  addRequestFilters(
    addCommand(events, 'list', 'list events, newest first', 'events list --agent invoice-checker --limit 20'),
  )
    .option('--session <id>', 'only those of this session')
    .option('--model <model>', 'only those of this model')
    .option('--provider <provider>', 'only those of this provider')
    .option('--pii', 'only those with personal data')
    .action(async ({ agent, session, pii, ...given }) => {
      const { api } = shell;
      const filter = {
        agent_id: await findGivenAgentId(api, agent),
        session_id: session,
        pii_detected: pii,
      };
      const answer = await api.get(writeQuery('/api/v1/events', { ...filter, ...given }), eventListSchema);
      const names: AgentNames | null = shell.json ? null : await readAgentNames(api);
      await shell.showRows(answer, (data) => data, [
        timeColumn<Event>('TIME', ({ timestamp }) => timestamp),
        { head: 'AGENT', cell: ({ agent_id }) => names?.find(agent_id) ?? agent_id, least: 8 },
        { head: 'PROVIDER', cell: ({ provider }) => provider, least: 6, spare: 4 },
        { head: 'MODEL', cell: ({ model }) => model, least: 10, spare: 1 },
        { head: 'IN', right: true, cell: ({ prompt_tokens }) => formatCount(prompt_tokens), spare: 3 },
        { head: 'OUT', right: true, cell: ({ completion_tokens }) => formatCount(completion_tokens), spare: 2 },
        { head: 'COST (USD)', right: true, cell: ({ cost_usd }) => formatUsd(cost_usd) },
        {
          head: 'PII',
          least: 5,
          cell: ({ pii_types }) => pii_types.join(',') || '-',
          style: ({ pii_detected }) => (pii_detected ? 'yellow' : undefined),
        },
        { head: 'ID', cell: ({ id }) => id },
      ]);
    });

  addCommand(
    events,
    'tail',
    'show events as they are recorded, until Ctrl-C; after a lost connection none is missed and none comes twice',
    'events tail --agent invoice-checker',
  )
    .option('--agent <agent>', 'only those of this agent, by name or id')
    .option('--session <id>', 'only those of this session')
    .action(async ({ agent, session }: { agent?: string; session?: string }) => {
      const { api, terminal } = shell;
      const agentId = await findGivenAgentId(api, agent);
      let names: AgentNames | null = null;
      const findName = async (id: string) => {
        // An unknown agent has registered since the names were read.
        if (names === null || names.find(id) === id) names = await readAgentNames(api).catch(() => null);
        return names?.find(id) ?? id;
      };
      await untilInterrupted((signal) =>
        tailEvents(api, {
          filter: { agent_id: agentId, session_id: session },
          signal,
          onEvent: async ({ event, text }) =>
            terminal.print(
              shell.json ? escapeJson(text) : formatLine(event, await findName(event.agent_id), terminal.paint),
            ),
          onNotice: terminal.note,
        }),
      );
    });
}
