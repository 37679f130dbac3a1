import {
  eventListSchema,
  lineageRemovalsSchema,
  lineageSchema,
  lineageVerdictSchema,
  sessionDetailSchema,
  sessionListSchema,
} from '@agp/core/contracts';
import { formatCount, formatDuration, formatUsd, isFailed } from '@agp/core/explain';
import { checkServedChain, finishCheck } from '@agp/core/lineage';
import { toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { writeQuery } from '../api.ts';
import { addCommand, addCsv, addFilters, addPaging } from '../arguments.ts';
import { CliError } from '../cli-error.ts';
import { resultColumn } from '../event-detail.ts';
import { findGivenAgentId } from '../find-agent.ts';
import { findSessionId } from '../find-id.ts';
import { describeDivergence, findLoss, headOption } from '../known-head.ts';
import type { Shell } from '../shell.ts';
import { formatFields, idColumn, timeColumn } from '../table.ts';
import { formatTime } from '../values.ts';

/** `sessions`: conversations, and the proof that nobody changed them. */
export function addSessionCommands(program: Command, shell: Shell): void {
  const sessions = program
    .command('sessions')
    .description('sessions, and whether their chains are as they were written');

  const list = addCommand(sessions, 'list', 'list sessions, latest start first', 'sessions list --from yesterday');
  addCsv(addPaging(addFilters(list), 50), true).action(async ({ agent, csv, all, limit, ...given }) => {
    const filter = { agent_id: await findGivenAgentId(shell.api, agent), ...given, limit: all ? undefined : limit };
    const path = writeQuery('/api/v1/sessions', filter);
    if (csv || all) return shell.showPages(path, { csv: csv === true });
    await shell.showList(path, sessionListSchema, [
      timeColumn('STARTED', ({ started_at }) => started_at),
      { head: 'LASTED', right: true, cell: ({ duration_ms }) => formatDuration(duration_ms), spare: 2 },
      { head: 'AGENT', cell: ({ agent_name }) => agent_name, least: 8 },
      { head: 'EVENTS', right: true, cell: ({ event_count }) => formatCount(event_count) },
      { head: 'TOKENS', right: true, cell: ({ total_tokens }) => formatCount(total_tokens), spare: 1 },
      { head: 'COST (USD)', right: true, cell: ({ total_cost_usd }) => formatUsd(total_cost_usd) },
      {
        head: 'PII',
        cell: ({ pii_detected }) => (pii_detected ? 'yes' : '-'),
        style: (row) => (row.pii_detected ? 'yellow' : undefined),
      },
      idColumn('ID', ({ id }) => id),
    ]);
  });

  addCommand(sessions, 'show <id>', 'show one session with its events', 'sessions show ses_...').action(
    async (given: string) => {
      const id = await findSessionId(shell.api, given);
      const path = `/api/v1/sessions/${encodeURIComponent(id)}`;
      const answer = await shell.api.get(
        writeQuery(path, { expand: shell.json ? undefined : 'outcome' }),
        sessionDetailSchema,
      );
      await shell.show(answer, ({ session, events }, paint) => {
        const failed = events.filter(isFailed).length;
        const fields = formatFields(
          [
            ['id', session.id],
            ['agent', `${session.agent_name} (${session.agent_id})`],
            ['started', formatTime(session.started_at)],
            ['lasted', formatDuration(session.duration_ms)],
            ['cost (USD)', formatUsd(session.total_cost_usd)],
            ['tokens', formatCount(session.total_tokens)],
            ['compliance tag', session.compliance_tag],
            ['failed', `${formatCount(failed)} of ${formatCount(events.length)}`],
          ],
          paint,
        );
        const table = shell.drawTable(events, [
          timeColumn('TIME', ({ timestamp }) => timestamp),
          resultColumn,
          { head: 'MODEL', cell: ({ model }) => model, least: 10 },
          { head: 'IN', right: true, cell: ({ prompt_tokens }) => formatCount(prompt_tokens), spare: 2 },
          { head: 'OUT', right: true, cell: ({ completion_tokens }) => formatCount(completion_tokens), spare: 1 },
          { head: 'COST (USD)', right: true, cell: ({ cost_usd }) => formatUsd(cost_usd) },
          { head: 'PII', cell: ({ pii_types }) => pii_types.join(',') || '-', least: 5 },
          idColumn('ID', ({ id }) => id),
        ]);
        return `${fields}\n\n${table}`;
      });
    },
  );

  addCommand(
    sessions,
    'verify <id>',
    "download a session's chain and check it here, without trusting the server; ends with 1 where it diverges or was cut off",
    'sessions verify ses_...',
  )
    .option(...headOption)
    .action(async (given: string, { head }: { head?: string }) => {
      const { api } = shell;
      const id = await findSessionId(api, given);
      const path = `/api/v1/lineage/${encodeURIComponent(id)}`;
      const told = await api.get(`${path}/verify`, lineageVerdictSchema);
      const lineage = await api.get(path, lineageSchema);
      const { data: events } = await api.get(`/api/v1/events/sessions/${encodeURIComponent(id)}`, eventListSchema);
      const { removed } = (await api.get(`${path}/removed`, lineageRemovalsSchema)).data;
      const links = lineage.data.entries.map(({ event_id, ...entry }) => ({ ...entry, id: event_id }));
      const check = finishCheck(checkServedChain(told.data, links, { session_id: id, events, removed }));
      const divergence = check.divergence ?? findLoss(check.head, [...links, ...removed], head);
      const verdict = {
        session_id: id,
        valid: divergence === null,
        length: check.head.length,
        head: check.head.hash,
        first_divergence: divergence?.seq ?? null,
      };
      const at = links.find(({ seq }) => seq === divergence?.seq)?.id;
      const reason = divergence && `${id} ${describeDivergence(divergence, at)}`;
      const answer = { ...lineage, data: verdict, text: JSON.stringify(verdict) };
      if (shell.json || reason === null) {
        const gone = verdict.length - lineage.data.entries.length;
        const note = gone > 0 ? `, ${formatCount(gone)} of them removed for their age` : '';
        await shell.show(answer, ({ length, head: last }, paint) =>
          [
            paint('green', `${toLineText(id)} is as it was written: ${formatCount(length)} events${note}`),
            `head ${last}`,
          ].join('\n'),
        );
      }
      if (reason !== null) throw new CliError(reason);
    });
}
