import {
  eventListSchema,
  lineageRemovalsSchema,
  lineageSchema,
  lineageVerdictSchema,
  sessionDetailSchema,
  sessionListQuerySchema,
  sessionListSchema,
} from '@agp/core/contracts';
import { countOf, formatCost, formatCount, formatDuration, isFailed, tellFailures } from '@agp/core/explain';
import { checkServedChain, finishCheck } from '@agp/core/lineage';
import type { Command } from 'commander';
import { addCommand } from '../arguments.ts';
import { resultColumn } from '../event-detail.ts';
import { findSessionId } from '../find.ts';
import { addList } from '../list.ts';
import type { Shell } from '../shell.ts';
import { formatFields, formatTime, idColumn, timeColumn } from '../table.ts';
import { findLoss, type HeadOption, headOption, tellVerdict } from '../verdict.ts';

/** `sessions`: conversations, and the proof that nobody changed them. */
export function addSessionCommands(program: Command, shell: Shell): void {
  const sessions = program
    .command('sessions')
    .description('sessions, and whether their chains are as they were written');

  addList(sessions, shell, 'list', 'list sessions, latest start first', {
    example: 'sessions list --from yesterday',
    path: '/api/v1/sessions',
    query: sessionListQuerySchema,
    limit: 50,
    expand: 'names,failures',
    csv: true,
    schema: sessionListSchema,
    columns: [
      timeColumn('STARTED', 'started_at'),
      { head: 'LASTED', right: true, cell: ({ duration_ms }) => formatDuration(duration_ms), spare: 2 },
      { head: 'AGENT', cell: ({ agent_name }) => agent_name, least: 8 },
      { head: 'NAME', cell: ({ name }) => name ?? '-', least: 8, spare: 3 },
      { head: 'LABELS', cell: ({ labels = [] }) => labels.join(', '), spare: 4 },
      { head: 'EVENTS', right: true, cell: ({ event_count }) => formatCount(event_count) },
      {
        head: 'FAILED',
        right: true,
        cell: tellFailures,
        style: ({ failed_count: failed = 0 }) => (failed > 0 ? 'red' : undefined),
      },
      { head: 'TOKENS', right: true, cell: ({ total_tokens }) => formatCount(total_tokens), spare: 1 },
      { head: 'COST (USD)', right: true, cell: (row) => formatCost(row.total_cost_usd, row.total_tokens) },
      {
        head: 'PII',
        cell: ({ pii_detected }) => (pii_detected ? 'yes' : '-'),
        style: (row) => (row.pii_detected ? 'yellow' : undefined),
      },
      idColumn,
    ],
  });

  addCommand(
    sessions,
    'show <session>',
    'show one session with its events, by id or name',
    'sessions show ses_...',
  ).action(async (given: string) => {
    const path = `/api/v1/sessions/${encodeURIComponent(await findSessionId(shell.api, given))}`;
    const answer = await shell.api.get(path, sessionDetailSchema, { expand: shell.json ? undefined : 'outcome,names' });
    await shell.show(answer, ({ session, events }, paint) => {
      const failed = events.filter(isFailed).length;
      const gone = session.event_count - events.length;
      const fields = formatFields(
        [
          ['id', session.id],
          ['name', session.name ?? '-'],
          ['agent', `${session.agent_name} (${session.agent_id})`],
          ['started', formatTime(session.started_at)],
          ['lasted', formatDuration(session.duration_ms)],
          ['cost (USD)', formatCost(session.total_cost_usd, session.total_tokens)],
          ['tokens', formatCount(session.total_tokens)],
          ['compliance tag', session.compliance_tag],
          ['failed', events.length === 0 ? '-' : `${formatCount(failed)} of ${formatCount(events.length)}`],
          ...(gone > 0 ? [['removed', `${formatCount(gone)} events, for their age`] as [string, string]] : []),
        ],
        paint,
      );
      const table = shell.drawTable(events, [
        timeColumn('TIME', 'timestamp'),
        resultColumn,
        { head: 'MODEL', cell: ({ model }) => model, least: 10 },
        { head: 'IN', right: true, cell: ({ prompt_tokens }) => formatCount(prompt_tokens), spare: 2 },
        { head: 'OUT', right: true, cell: ({ completion_tokens }) => formatCount(completion_tokens), spare: 1 },
        { head: 'COST (USD)', right: true, cell: (row) => formatCost(row.cost_usd, row.total_tokens) },
        { head: 'PII', cell: ({ pii_types }) => pii_types.join(',') || '-', least: 5 },
        idColumn,
      ]);
      return `${fields}\n\n${table}`;
    });
  });

  addCommand(
    sessions,
    'verify <id>',
    "download a session's chain and check it here, without trusting the server; ends with 1 where it diverges or was cut off",
    'sessions verify ses_...',
  )
    .option(...headOption)
    .action(async (given: string, options: HeadOption) => {
      const { api } = shell;
      const id = await findSessionId(api, given);
      const path = `/api/v1/lineage/${encodeURIComponent(id)}`;
      const told = await api.get(`${path}/verify`, lineageVerdictSchema);
      const lineage = await api.get(path, lineageSchema);
      const { data: events } = await api.get(`/api/v1/events/sessions/${encodeURIComponent(id)}`, eventListSchema);
      const { removed } = (await api.get(`${path}/removed`, lineageRemovalsSchema)).data;
      const links = lineage.data.entries.map(({ event_id, ...entry }) => ({ ...entry, id: event_id }));
      const whole = finishCheck(checkServedChain(told.data, links, { session_id: id, events, removed }));
      const check = findLoss(whole, [...links, ...removed], options);
      const gone = check.head.length - links.length;
      const count = `${countOf(check.head.length, 'event')}${gone > 0 ? `, ${formatCount(gone)} of them removed for their age` : ''}`;
      await tellVerdict(shell, lineage, { name: id, check, links, count, more: { session_id: id } });
    });
}
