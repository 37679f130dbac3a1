import {
  eventListQuerySchema,
  eventStreamQuerySchema,
  listedEventListSchema,
  type StreamEvent,
} from '@agp/core/contracts';
import { describeOutcome, describePii, formatCost, formatCount } from '@agp/core/explain';
import { escapeJson, toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { addCommand, addQuery } from '../arguments.ts';
import { findEvent, listDetail, listUnrecorded, resultColumn, toneStyles } from '../event-detail.ts';
import { findEventId } from '../find.ts';
import { addList, readQuery } from '../list.ts';
import type { Shell } from '../shell.ts';
import { formatTime, idColumn, timeColumn } from '../table.ts';
import { tailEvents } from '../tail-events.ts';
import { type Paint, untilInterrupted } from '../terminal.ts';

/** One event as one line, not a table row: a tail cannot know how wide its columns must be. */
function formatLine(event: StreamEvent, agentName: string, paint: Paint): string {
  const found =
    event.pii_types === undefined ? '' : `  ${paint('yellow', `PII: ${toLineText(event.pii_types.join(','))}`)}`;
  const figures = `${formatCount(event.prompt_tokens)} in, ${formatCount(event.completion_tokens)} out, ${formatCost(event.cost_usd, event.prompt_tokens + event.completion_tokens, ' USD')}`;
  const { text, tone } = describeOutcome(event);
  const head = `${paint('dim', formatTime(event.timestamp))}  ${paint('bold', toLineText(agentName))}`;
  return `${head}  ${toLineText(event.model)}  ${paint(toneStyles[tone] ?? 'dim', text)}  ${figures}  ${paint('dim', toLineText(event.session_id))}${found}`;
}

/** `429`, `answered 429` and `4xx` are a status, anything else an outcome. */
function readResult(result: string): Record<string, string> {
  const status = /^(?:answered )?(\d(?:\d\d|xx))$/.exec(result)?.[1];
  return status === undefined ? { outcome: result } : { outcome: 'completed', status };
}

/** `events`: what was recorded, and what is recorded now. */
export function addEventCommands(program: Command, shell: Shell): void {
  const events = program.command('events').description('what agents did, each request an event');

  addList(events, shell, 'list', 'list events, newest first', {
    example: 'events list --agent invoice-checker --from 7d',
    path: '/api/v1/events',
    query: eventListQuerySchema,
    expand: 'agent,outcome',
    csv: true,
    schema: listedEventListSchema,
    columns: [
      {
        ...timeColumn('TIME', 'timestamp'),
        // Without the seconds there is room for what a call cost and what was found.
        brief: ({ timestamp }) => formatTime(timestamp).slice(5, 16),
      },
      { head: 'AGENT', cell: ({ agent_name, agent_id }) => agent_name ?? agent_id, least: 8 },
      resultColumn,
      {
        head: 'PROVIDER',
        cell: ({ provider, endpoint }) => (endpoint ? `${provider} (${endpoint})` : provider),
        brief: ({ provider }) => provider,
        ...{ least: 6, spare: 4 },
      },
      { head: 'MODEL', cell: ({ model }) => model, least: 10 },
      { head: 'IN', right: true, cell: ({ prompt_tokens }) => formatCount(prompt_tokens), spare: 3 },
      { head: 'OUT', right: true, cell: ({ completion_tokens }) => formatCount(completion_tokens), spare: 2 },
      { head: 'COST (USD)', right: true, cell: (row) => formatCost(row.cost_usd, row.total_tokens) },
      {
        head: 'PII',
        least: 5,
        cell: (event) => describePii(event).text,
        brief: ({ pii_types: types }) => (types.length > 1 ? `${types.length} kinds` : (types[0] ?? '-')),
        spare: 1,
        style: ({ pii_detected }) => (pii_detected ? 'yellow' : undefined),
      },
      idColumn,
    ],
  })
    .option('--result <result>', 'as the column RESULT has it: completed, failed, aborted, killed, or a status')
    .hook('preAction', (command) => {
      const { result } = command.opts<{ result?: string }>();
      for (const [name, value] of Object.entries(result === undefined ? {} : readResult(result)))
        command.setOptionValue(name, command.getOptionValue(name) ?? value);
    });

  addCommand(
    events,
    'show <id>',
    'show all that is known of one event, with the proof of its place in the chain, or that it was lost',
    'events show evt_...',
  ).action(async (id: string) => {
    const { event, unrecorded } = await findEvent(shell.api, await findEventId(shell.api, id));
    await (event ? shell.showFields(event, listDetail) : shell.showFields(unrecorded, listUnrecorded));
  });

  const tail = addCommand(
    events,
    'tail',
    'show events as they are recorded, until Ctrl-C; after a lost connection none is missed and none comes twice',
    'events tail --agent invoice-checker',
  );
  const members = addQuery(tail, eventStreamQuerySchema);
  tail.action(async (given: Record<string, unknown>) => {
    const { api, terminal } = shell;
    const { agent_id, session_id } = await readQuery(shell, members, given);
    await untilInterrupted((signal) =>
      tailEvents(api, {
        filter: { agent_id, session_id, expand: shell.json ? undefined : 'agent,outcome' },
        signal,
        onEvent: async ({ data: event, text }) =>
          terminal.print(
            shell.json ? escapeJson(text) : formatLine(event, event.agent_name ?? event.agent_id, terminal.paint),
          ),
        onNotice: terminal.note,
      }),
    );
  });
}
