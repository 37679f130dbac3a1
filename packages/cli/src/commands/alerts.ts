import {
  type Alert,
  alertListQuerySchema,
  alertListSchema,
  alertSchema,
  type Delivery,
  deliveryListQuerySchema,
  deliveryListSchema,
  deliverySchema,
} from '@agp/alerts';
import { escapeJson, toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { addCommand, addReason, type ReasonOption } from '../arguments.ts';
import { findListedId } from '../find.ts';
import { addList } from '../list.ts';
import type { Shell } from '../shell.ts';
import { type Column, formatTime, idColumn, timeColumn } from '../table.ts';
import { type Paint, type Style, untilInterrupted } from '../terminal.ts';
import { watchAlerts } from '../watch-alerts.ts';
import { addRuleCommands, addTargetCommands } from './notification-files.ts';

const [alertsPath, deliveriesPath] = ['/api/v1/alerts', '/api/v1/notification-deliveries'];

const unresolved = { path: alertsPath, state: 'unresolved', schema: alertListSchema };
const dead = { path: deliveriesPath, state: 'dead', schema: deliveryListSchema };

export const severityStyles: Record<Alert['severity'], Style> = { critical: 'red', warning: 'yellow', info: 'dim' };

const columns: Column<Alert>[] = [
  timeColumn('OPENED', 'opened_at'),
  { head: 'SEVERITY', cell: ({ severity }) => severity, style: ({ severity }) => severityStyles[severity] },
  { head: 'ALERT', cell: ({ title }) => title, least: 24 },
  { head: 'DETAIL', cell: ({ detail }) => detail, least: 12, spare: 3 },
  {
    head: 'STATE',
    cell: ({ state, acknowledged_by: by }) => (state === 'acknowledged' ? `acknowledged by ${by}` : state),
    brief: ({ state }) => state,
    style: ({ state }) => (state === 'open' ? undefined : 'dim'),
  },
  { head: 'RULE', cell: ({ rule }) => rule, spare: 2 },
  { ...timeColumn('RESOLVED', 'resolved_at'), spare: 4 },
  idColumn,
];

/** What became of an alert since it was known so: `opened, acknowledged by ops-1`. */
function describeStep({ state, acknowledged_by: by }: Alert, before: Alert['state'] | null): string {
  const steps = { open: 'opened', acknowledged: `acknowledged by ${by}`, resolved: 'resolved' };
  return before === null && state !== 'open' ? `${steps.open}, ${steps[state]}` : steps[state];
}

function formatLine(alert: Alert, before: Alert['state'] | null, paint: Paint): string {
  const { state, severity, title, detail, id } = alert;
  const at = { open: alert.opened_at, acknowledged: alert.acknowledged_at, resolved: alert.resolved_at }[state];
  const style = state === 'open' ? severityStyles[severity] : 'green';
  return [
    paint('dim', formatTime(at)),
    paint(style, toLineText(describeStep(alert, before))),
    severity,
    paint('bold', toLineText(title)),
    ...(detail === '' ? [] : [toLineText(detail)]),
    paint('dim', id),
  ].join('  ');
}

const deliveryColumns: Column<Delivery>[] = [
  timeColumn('MADE', 'created_at'),
  { head: 'TARGET', cell: ({ target }) => target, least: 8 },
  { head: 'ALERT', cell: ({ title }) => title, least: 16 },
  { head: 'TELLS', cell: ({ occasion }) => occasion, spare: 2 },
  { head: 'STATE', cell: ({ state }) => state, style: ({ state }) => (state === 'dead' ? 'red' : undefined) },
  { head: 'TRIES', right: true, cell: ({ attempts }) => String(attempts), spare: 1 },
  { ...timeColumn('NEXT TRY', 'next_at'), spare: 3 },
  { head: 'ERROR', cell: ({ error }) => error ?? '-', least: 8 },
  idColumn,
];

function addDeliveryCommands(alerts: Command, shell: Shell): void {
  const deliveries = alerts.command('deliveries').description('messages to targets, and what became of them');
  addList(deliveries, shell, 'list', 'list messages, newest first; dead ones were given up', {
    ...{ example: 'alerts deliveries list --state dead', isDefault: true },
    ...{ path: deliveriesPath, query: deliveryListQuerySchema, schema: deliveryListSchema, columns: deliveryColumns },
  });
  const resend = 'try messages again that were given up; receivers know them by their ids';
  addReason(addCommand(deliveries, 'resend <id...>', resend, 'alerts deliveries resend dlv_...')).action(
    async (ids: string[], { reason }: ReasonOption) => {
      for (const given of ids) {
        const id = await findListedId(shell, 'dlv', dead, given);
        const path = `${deliveriesPath}/${encodeURIComponent(id)}/resend`;
        const answer = await shell.api.send('POST', path, {}, deliverySchema, { reason });
        await shell.showRows(answer, (data) => [data], deliveryColumns);
      }
    },
  );
}

/** `alerts`: what rules found, the rules, and whom they tell. */
export function addAlertCommands(program: Command, shell: Shell): void {
  const alerts = program.command('alerts').description('what rules found, the rules, and where it is told');
  const { terminal } = shell;

  addList(alerts, shell, 'list', 'list alerts, newest first; open ones unless a state or a time is given', {
    ...{ example: 'alerts list --state resolved --from 7d', isDefault: true },
    ...{ path: alertsPath, query: alertListQuerySchema, schema: alertListSchema, columns, csv: true },
    watch: {
      summary: 'tell what comes up, is acknowledged and is over, until Ctrl-C; --rule and --agent choose',
      follow: ({ agent_id, rule }) =>
        untilInterrupted((signal) =>
          watchAlerts(shell.api, {
            ...{ filter: { agent_id, rule }, signal, onNotice: terminal.note },
            onAlert: async ({ data, text }, before) =>
              terminal.print(shell.json ? escapeJson(text) : formatLine(data, before, terminal.paint)),
          }),
        ),
    },
  }).hook('preAction', (command) => {
    const { state, from, to } = command.opts<{ state?: string; from?: string; to?: string }>();
    if ((state ?? from ?? to) === undefined) command.setOptionValue('state', 'unresolved');
  });

  const ack = 'say that you look after alerts, until they are over';
  addReason(addCommand(alerts, 'ack <id...>', ack, 'alerts ack alr_... --reason looking')).action(
    async (ids: string[], { reason }: ReasonOption) => {
      for (const given of ids) {
        const id = await findListedId(shell, 'alr', unresolved, given);
        const path = `${alertsPath}/${encodeURIComponent(id)}/acknowledge`;
        await shell.showRows(
          await shell.api.send('POST', path, {}, alertSchema, { reason }),
          (data) => [data],
          columns,
        );
      }
    },
  );

  addRuleCommands(alerts, shell);
  addTargetCommands(alerts, shell);
  addDeliveryCommands(alerts, shell);
}
