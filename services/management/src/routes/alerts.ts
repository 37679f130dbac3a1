import { type Alert, alertListQuerySchema, alertListSchema, alertSchema, alertStates } from '@agp/alerts';
import { toPublicId } from '@agp/core/ids';
import { acknowledgeAlert, listAlerts, readAlert } from '@agp/db';
import { recordChange } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentAlert } from '../presenters.ts';
import { writeNextLink } from '../replies.ts';
import { alertId, found, readAgentFilter } from '../requests.ts';

const describe = ({ title, state, acknowledged_by }: Alert) => ({ title, state, acknowledged_by });

/** What rules found: each alert once, whoever recorded its cause. */
export const alertRoutes = tagRoutes('Alerts', [
  defineRoute('GET /api/v1/alerts', {
    summary:
      'Alerts: those that are not over by severity, reach and time if these are asked for, else the newest first',
    query: alertListQuerySchema,
    answer: { description: 'One page of alerts', schema: alertListSchema, paged: true, csv: { name: 'alerts' } },
    handle: async ({ query, request }, { db }, response) => {
      const { limit, offset, agent_id } = query;
      const filter = { ...query, agentId: readAgentFilter(agent_id) };
      const rows = await listAlerts(db, filter, { limit: limit + 1, offset });
      if (rows.length > limit) response.set('Link', writeNextLink(request, query, ['offset', `${offset + limit}`]));
      return rows.slice(0, limit).map(presentAlert);
    },
  }),
  defineRoute('GET /api/v1/alerts/{id}', {
    summary: 'One alert',
    params: { id: alertId },
    answer: { description: 'The alert', schema: alertSchema },
    handle: async ({ params }, { db }) => presentAlert(found(await readAlert(db, params.id), 'alert_not_found')),
  }),
  defineRoute('POST /api/v1/alerts/{id}/acknowledge', {
    summary: `Say that somebody looks after it; its state goes from ${alertStates[0]} to ${alertStates[1]} until it is over`,
    params: { id: alertId },
    answer: { description: 'The alert as it is now', schema: alertSchema },
    handle: (input, context) =>
      recordChange(context, input, 'alert.acknowledge', async (transaction) => {
        const { name } = found(input.caller, 'internal').actor;
        const changed = found(await acknowledgeAlert(transaction, input.params.id, name), 'alert_not_found');
        const [before, after] = [presentAlert(changed.before), presentAlert(changed.after)];
        const target = toPublicId('alr', changed.after.id);
        return { result: after, target, before: describe(before), after: describe(after) };
      }),
  }),
]);
