import { eventListSchema, type Refusal, refusalListQuerySchema, refusalListSchema } from '@agp/core/contracts';
import { requestIdPattern } from '@agp/core/events';
import { explainOutcome, explainRefusal, formatCount } from '@agp/core/explain';
import { fromPublicId } from '@agp/core/ids';
import { toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { addCommand } from '../arguments.ts';
import { CliError } from '../cli-error.ts';
import { findEvent, listDetail, listUnrecorded } from '../event-detail.ts';
import { findEventId } from '../find.ts';
import { addList } from '../list.ts';
import type { Shell } from '../shell.ts';
import { type Column, formatFields, timeColumn, wrapText } from '../table.ts';

const refusalColumns: Column<Refusal>[] = [
  { ...timeColumn('TIME', 'timestamp'), spare: 1 },
  { head: 'AGENT', cell: ({ agent_name, agent_id }) => agent_name ?? agent_id ?? '-', least: 8 },
  {
    head: 'REASON',
    cell: ({ reason, rule }) => (rule === null ? reason : `${reason} (${rule})`),
    brief: ({ reason }) => reason,
    style: () => 'yellow',
  },
  { head: 'FROM', cell: ({ source_ip }) => source_ip, spare: 4 },
  { head: 'PROVIDER', cell: ({ provider }) => provider ?? '-', least: 6, spare: 3 },
  { head: 'PATH', cell: ({ path }) => path ?? '-', least: 16, spare: 2 },
  { head: 'REQUEST ID', cell: ({ request_id }) => request_id },
  { head: 'COUNT', right: true, cell: ({ count }) => formatCount(count), spare: 5 },
];

/** `refusals`: single refused requests. */
export function addRefusalsCommand(program: Command, shell: Shell): void {
  addList(
    program,
    shell,
    'refusals',
    'list requests that the proxy refused, newest first; of many alike in a minute one row stands for the rest',
    {
      example: 'refusals --agent invoice-checker --from 2026-11-20',
      path: '/api/v1/refusals',
      csv: true,
      query: refusalListQuerySchema,
      schema: refusalListSchema,
      columns: refusalColumns,
    },
  );
}

/** What to ask of ids that are of no request. */
const hints: Record<string, string> = {
  ses_: 'it is one of a session: "sessions show" lists its events',
  agt_: 'it is one of an agent: "agents show" shows it, "events list --agent" its events',
};

/** Events of one id that are shown whole. */
const most = 5;

/** `why`: from any id of a request to its event, its refusal, or its loss. */
export function addWhyCommand(program: Command, shell: Shell): void {
  addCommand(
    program,
    'why <id>',
    "show what became of a request, by its event's id, its request id or the provider's: the event, the refusal, or its loss",
    'why 5f0c1d5e-9a4b-4c1f-8a8e-2f6d1b3c4d5e',
  ).action(async (given: string) => {
    const { api, terminal } = shell;
    const id = await findEventId(api, given);
    const find = async (name: string) => {
      const { data, next } = await api.get('/api/v1/events', eventListSchema, { [name]: id, limit: most });
      // Callers may give many requests one id.
      if (next !== null)
        terminal.note(`only the latest ${most} events: "events list --${name.replaceAll('_', '-')} ..." has more`);
      return data.map((event) => event.id);
    };
    const isEventId = fromPublicId('evt', id) !== null;
    const isRequestId = requestIdPattern.test(id);
    const refusals =
      isEventId || !isRequestId
        ? null
        : await api.get('/api/v1/refusals', refusalListSchema, { request_id: id, limit: 50 });
    const ids = isEventId
      ? [id]
      : [...new Set([...(isRequestId ? await find('request_id') : []), ...(await find('provider_request_id'))])];
    const found = [];
    for (const each of ids) found.push(await findEvent(api, each));
    if (found.length === 0 && !refusals?.data.length)
      throw new CliError(
        `No event and no listed refusal has the id ${toLineText(id, 128)}; ${hints[id.slice(0, 4)] ?? 'it may not be recorded yet; "sessions show" takes the name of a session'}`,
      );
    if (shell.json) {
      const whole = {
        events: found.flatMap(({ event }) => (event ? [event.data] : [])),
        unrecorded: found.flatMap(({ unrecorded }) => (unrecorded ? [unrecorded.data] : [])),
        refusals: refusals?.data ?? [],
      };
      const first = found[0]?.event ?? found[0]?.unrecorded ?? (refusals as NonNullable<typeof refusals>);
      return shell.show({ ...first, data: whole, text: JSON.stringify(whole) }, String);
    }
    const parts = found.flatMap(({ event, unrecorded }) => {
      const fields = formatFields(event ? listDetail(event.data) : listUnrecorded(unrecorded.data), terminal.paint);
      const meaning = event && explainOutcome(event.data);
      return meaning === null
        ? [fields]
        : [wrapText(meaning, terminal.width ?? Number.POSITIVE_INFINITY).join('\n'), fields];
    });
    if (refusals?.data.length) {
      const meanings = refusals.data.map(({ reason, rule, told }) => {
        const known = explainRefusal(reason, 'cli', rule);
        const meaning = known ? `${known.why} ${known.wayOut}` : 'docs/proxy.md lists what the proxy refuses, and why';
        return toLineText(`${reason}: ${meaning}${told === null ? '' : ` It was told: ${told}`}`, 1_536);
      });
      parts.push(...new Set(meanings));
      parts.push(shell.drawTable(refusals.data, refusalColumns));
    }
    await terminal.print(parts.join('\n\n'));
  });
}
