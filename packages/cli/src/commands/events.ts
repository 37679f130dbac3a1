import { type ListedEvent, listedEventListSchema, maxPageSize, type StreamEvent } from '@agp/core/contracts';
import { describeOutcome, describePii, formatCount, formatUsd } from '@agp/core/explain';
import { escapeJson, toLineText } from '@agp/core/text';
import { type Command, Option } from 'commander';
import { writeQuery } from '../api.ts';
import { addCommand, addCsv, addRequestFilters } from '../arguments.ts';
import { findEvent, formatBriefPii, listDetail, listUnrecorded, resultColumn, toneStyles } from '../event-detail.ts';
import { findGivenAgentId } from '../find-agent.ts';
import { findEventId } from '../find-id.ts';
import type { Shell } from '../shell.ts';
import { idColumn, timeColumn } from '../table.ts';
import { tailEvents } from '../tail-events.ts';
import { type Paint, untilInterrupted } from '../terminal.ts';
import { formatTime } from '../values.ts';

const outcomes = ['completed', 'failed', 'aborted', 'killed'];

/** One event as one line, not a table row: a tail cannot know how wide its columns must be. */
function formatLine(event: StreamEvent, agentName: string, paint: Paint): string {
  const found =
    event.pii_types === undefined ? '' : `  ${paint('yellow', `PII: ${toLineText(event.pii_types.join(','))}`)}`;
  const figures = `${formatCount(event.prompt_tokens)} in, ${formatCount(event.completion_tokens)} out, ${formatUsd(event.cost_usd)} USD`;
  const { text, tone } = describeOutcome(event);
  const head = `${paint('dim', formatTime(event.timestamp))}  ${paint('bold', toLineText(agentName))}`;
  return `${head}  ${toLineText(event.model)}  ${paint(toneStyles[tone] ?? 'dim', text)}  ${figures}  ${paint('dim', toLineText(event.session_id))}${found}`;
}

/** `429`, `answered 429` and `4xx` are a status, anything else an outcome. */
function readResult(result: string): { http_status: string } | { outcome: string } {
  const status = /^(?:answered )?(\d(?:\d\d|xx))$/.exec(result)?.[1];
  return status === undefined ? { outcome: result } : { outcome: 'completed', http_status: status };
}

/** `events`: what was recorded, and what is recorded now. */
export function addEventCommands(program: Command, shell: Shell): void {
  const events = program.command('events').description('what agents did, each request an event');

  const list = addCommand(events, 'list', 'list events, newest first', 'events list --agent invoice-checker --from 7d');
  addCsv(addRequestFilters(list), true)
    .option('--session <id>', 'only those of this session')
    .option('--model <model>', 'only those of this model')
    .option('--provider <provider>', 'only those of this provider')
    .option('--tag <tag>', 'only those with this compliance tag')
    .option('--pii', 'only those with personal data')
    .option('--pii-type <type>', 'only those with this kind of it')
    .addOption(new Option('--outcome <outcome>', 'only with this outcome').choices(outcomes))
    .option('--failed', 'only failed ones, and answers with 4xx or 5xx')
    .option('--result <result>', 'as the column RESULT has it: completed, failed, aborted, killed, or a status')
    .option('--status <status>', 'only those with this status, such as 404 or 5xx')
    .option('--request-id <id>', 'only those with this id, of the caller or made by the proxy')
    .option('--provider-request-id <id>', "only those with this id of the provider's own")
    .action(
      async ({
        agent,
        session,
        tag,
        pii,
        piiType,
        result,
        status,
        requestId,
        providerRequestId,
        csv,
        all,
        ...given
      }) => {
        const filter = {
          agent_id: await findGivenAgentId(shell.api, agent),
          session_id: session,
          pii_detected: pii,
          pii_type: piiType,
          compliance_tag: tag,
          ...(result === undefined ? {} : readResult(result)),
          ...(status !== undefined && { http_status: status }),
          request_id: requestId,
          provider_request_id: providerRequestId,
          expand: shell.json ? undefined : 'agent,outcome',
          ...given,
          ...(all && { limit: maxPageSize }),
        };
        const path = writeQuery('/api/v1/events', filter);
        if (csv || all) return shell.showPages(path, { csv: csv === true, all: all === true });
        await shell.showList(path, listedEventListSchema, [
          {
            ...timeColumn<ListedEvent>('TIME', ({ timestamp }) => timestamp),
            // Without the seconds there is room for what a call cost and what was found.
            brief: ({ timestamp }) => formatTime(timestamp).slice(5, 16),
          },
          { head: 'AGENT', cell: ({ agent_name, agent_id }) => agent_name ?? agent_id, least: 8 },
          resultColumn,
          { head: 'PROVIDER', cell: ({ provider }) => provider, least: 6, spare: 4 },
          { head: 'MODEL', cell: ({ model }) => model, least: 10 },
          { head: 'IN', right: true, cell: ({ prompt_tokens }) => formatCount(prompt_tokens), spare: 3 },
          { head: 'OUT', right: true, cell: ({ completion_tokens }) => formatCount(completion_tokens), spare: 2 },
          { head: 'COST (USD)', right: true, cell: ({ cost_usd }) => formatUsd(cost_usd) },
          {
            head: 'PII',
            least: 5,
            cell: (event) => describePii(event).text,
            brief: formatBriefPii,
            spare: 1,
            style: ({ pii_detected }) => (pii_detected ? 'yellow' : undefined),
          },
          idColumn('ID', ({ id }) => id),
        ]);
      },
    );

  addCommand(
    events,
    'show <id>',
    'show all that is known of one event, with the proof of its place in the chain, or that it was lost',
    'events show evt_...',
  ).action(async (id: string) => {
    const { event, unrecorded } = await findEvent(shell.api, await findEventId(shell.api, id));
    await (event ? shell.showFields(event, listDetail) : shell.showFields(unrecorded, listUnrecorded));
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
      await untilInterrupted((signal) =>
        tailEvents(api, {
          filter: { agent_id: agentId, session_id: session, expand: shell.json ? undefined : 'agent,outcome' },
          signal,
          onEvent: async ({ event, text }) =>
            terminal.print(
              shell.json ? escapeJson(text) : formatLine(event, event.agent_name ?? event.agent_id, terminal.paint),
            ),
          onNotice: terminal.note,
        }),
      );
    });
}
