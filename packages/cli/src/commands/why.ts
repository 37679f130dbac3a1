import { eventListSchema, refusalListSchema } from '@agp/core/contracts';
import { requestIdPattern } from '@agp/core/events';
import { explainAnswer, explainRefusal } from '@agp/core/explain';
import { fromPublicId } from '@agp/core/ids';
import { toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { addCommand } from '../add-command.ts';
import { CliError } from '../cli-error.ts';
import type { Shell } from '../create-shell.ts';
import { findEvent } from '../find-event.ts';
import { formatFields } from '../format/format-table.ts';
import { listDetail } from '../format/list-detail.ts';
import { listUnrecorded } from '../format/list-unrecorded.ts';
import { writeQuery } from '../write-query.ts';
import { refusalColumns } from './refusals.ts';

/** Events of one id that are shown whole. */
const most = 5;

/** `why`: from any id of a request to its event, its refusal, or its loss. */
export function addWhyCommand(program: Command, shell: Shell): void {
  addCommand(
    program,
    'why <id>',
    "show what became of a request, by its event's id, its request id or the provider's: the event, the refusal, or its loss",
    'why 5f0c1d5e-9a4b-4c1f-8a8e-2f6d1b3c4d5e',
  ).action(async (id: string) => {
    const { api, terminal } = shell;
    const find = async (name: string) => {
      const { data, next } = await api.get(writeQuery('/api/v1/events', { [name]: id, limit: most }), eventListSchema);
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
        : await api.get(writeQuery('/api/v1/refusals', { request_id: id, limit: 50 }), refusalListSchema);
    const ids = isEventId
      ? [id]
      : [...new Set([...(isRequestId ? await find('request_id') : []), ...(await find('provider_request_id'))])];
    const found = [];
    for (const each of ids) found.push(await findEvent(api, each));
    if (found.length === 0 && !refusals?.data.length)
      throw new CliError(
        `No event and no listed refusal has the id ${toLineText(id, 128)}; it may not be recorded yet`,
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
      const meaning = event && explainAnswer(event.data);
      return meaning === null ? [fields] : [fields, meaning];
    });
    if (refusals?.data.length) {
      parts.push(shell.drawTable(refusals.data, refusalColumns));
      for (const reason of new Set(refusals.data.map((refusal) => refusal.reason))) {
        const known = explainRefusal(reason, 'cli');
        const meaning = known ? `${known.why} ${known.wayOut}` : 'docs/proxy.md lists what the proxy refuses, and why';
        parts.push(`${toLineText(reason, 128)}: ${meaning}`);
      }
    }
    await terminal.print(parts.join('\n\n'));
  });
}
