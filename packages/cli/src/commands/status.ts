import { setTimeout as wait } from 'node:timers/promises';
import { type Alert, alertListSchema } from '@agp/alerts';
import {
  type ProviderKey,
  providerKeyListSchema,
  type ServiceState,
  type Status,
  statusSchema,
  statusWindows,
} from '@agp/core/contracts';
import { formatCount, formatDuration, roundUsd } from '@agp/core/explain';
import { escapeJson, toLineText } from '@agp/core/text';
import { type Command, Option } from 'commander';
import { addCommand, parseWhole } from '../arguments.ts';
import { ApiFailure } from '../cli-error.ts';
import type { Shell } from '../shell.ts';
import { type Column, type Field, formatFields, formatStop, formatTable, formatTime } from '../table.ts';
import { type Paint, type Style, untilInterrupted } from '../terminal.ts';
import { severityStyles } from './alerts.ts';

const stateStyles: Record<ServiceState['state'], Style> = {
  ready: 'green',
  not_ready: 'red',
  idle: 'dim',
  unknown: 'yellow',
};

interface Line {
  text: string;
  style?: Style | undefined;
}

type Part<Name extends keyof Status> = NonNullable<Status[Name]>;

const showPause = ({ paused, stop }: Part<'pause'>): Line =>
  paused
    ? { text: `PAUSED${stop ? ` ${formatStop(stop)}` : ''}: every agent is refused`, style: 'red' }
    : { text: 'not paused' };

const showRecording = ({ last_recorded_at, lag_ms, quarantine_waiting }: Part<'recording'>): Line => ({
  text: [
    last_recorded_at === null ? 'nothing yet' : `last at ${formatTime(last_recorded_at)}`,
    ...(lag_ms === null ? [] : [`${formatDuration(lag_ms)} after its request`]),
    ...(quarantine_waiting > 0 ? [`${formatCount(quarantine_waiting)} messages set aside`] : []),
  ].join(', '),
  style: quarantine_waiting > 0 ? 'yellow' : undefined,
});

function showRequests(part: Part<'requests'>): Line {
  const { request_count, failed, aborted, killed, refused, refused_by, is_more } = part;
  const reasons = refused_by.map(({ reason, count }) => `${reason} ${formatCount(count)}`).join(', ');
  const refusals = `${formatCount(refused)} refused${reasons && ` (${reasons})`}`;
  const ended = `${formatCount(failed)} failed or answered with 4xx or 5xx, ${formatCount(aborted)} aborted, ${formatCount(killed)} killed`;
  return {
    text: `since ${formatTime(part.since).slice(0, 16)} UTC: ${formatCount(request_count)}; ${ended}; ${refusals}${is_more ? '; or more' : ''}`,
    style: failed > 0 ? 'yellow' : undefined,
  };
}

const showSpend = ({ spent_usd, daily_cap_usd, warn_only }: Part<'spend'>): Line => ({
  text:
    daily_cap_usd === null
      ? `${roundUsd(spent_usd)} USD; no cap`
      : `${roundUsd(spent_usd)} USD of ${roundUsd(daily_cap_usd)}${warn_only ? ' (warns only)' : ''}`,
  style: daily_cap_usd !== null && spent_usd >= 0.8 * daily_cap_usd ? 'red' : undefined,
});

const listNames = (names: readonly string[], all: number) =>
  names.map((name) => toLineText(name, 128)).join(', ') +
  (all > names.length ? ` and ${formatCount(all - names.length)} more` : '');

function showAgents({ active, blocked, retired, latest_blocked }: Part<'agents'>): Line {
  const names = latest_blocked.map(({ agent_name }) => agent_name);
  return {
    text: `${formatCount(active)} active, ${formatCount(retired)} retired, ${formatCount(blocked)} blocked${blocked > 0 ? `: ${listNames(names, blocked)}` : ''}`,
    style: blocked > 0 ? 'yellow' : undefined,
  };
}

const showPii = (kinds: Part<'pii'>): Line =>
  kinds.length === 0
    ? { text: 'none found' }
    : { text: kinds.map(({ type, event_count }) => `${type} ${formatCount(event_count)}`).join(', '), style: 'yellow' };

const showUnpriced = ({ count, latest }: Part<'unpriced_models'>): Line =>
  count === 0
    ? { text: 'none' }
    : {
        text: listNames(
          latest.map(({ provider, model }) => `${provider}/${model}`),
          count,
        ),
        style: 'yellow',
      };

const spenderColumns = (since: string): Column<Part<'top_spenders'>[number]>[] => [
  { head: `TOP SPENDERS${since}`, cell: ({ agent_name }) => agent_name, least: 18 },
  { head: 'COST (USD)', right: true, cell: ({ cost_usd }) => roundUsd(cost_usd) },
  { head: 'REQUESTS', right: true, cell: ({ request_count }) => formatCount(request_count) },
];

const mostAlerts = 10;

const alertColumns: Column<Alert>[] = [
  { head: 'TO LOOK AT', cell: ({ severity }) => severity, style: ({ severity }) => severityStyles[severity] },
  { head: '', cell: ({ title }) => title, least: 24 },
  { head: '', cell: ({ detail }) => detail, least: 12, spare: 1 },
  { head: 'SINCE', cell: ({ opened_at }) => formatTime(opened_at).slice(0, 16) },
  { head: '', cell: ({ acknowledged_by: by }) => (by === null ? '' : `${by} looks after it`), spare: 2 },
];

const serviceColumns: Column<ServiceState>[] = [
  { head: 'SERVICE', cell: ({ name }) => name },
  { head: 'STATE', cell: ({ state }) => state.replace('_', ' '), style: ({ state }) => stateStyles[state] },
  { head: '', cell: ({ detail }) => detail, least: 10 },
];

/** A proxy notes its keys every minute. */
const heldMs = 3 * 60_000;

const keyColumns = (at: string): Column<ProviderKey>[] => [
  { head: 'KEY OF', cell: ({ provider }) => provider, least: 8 },
  { head: 'SHA-256', cell: ({ fingerprint }) => fingerprint },
  { head: 'LAST USED', cell: ({ last_used_at: used }) => (used === null ? 'never' : formatTime(used).slice(0, 16)) },
  {
    head: 'HELD BY',
    cell: ({ proxy, last_seen_at: seen }) =>
      Date.parse(at) - Date.parse(seen) <= heldMs ? proxy : `nobody since ${formatTime(seen).slice(0, 16)}`,
    least: 10,
  },
];

/** What a status does not name: alerts that are not over, the worst first, and keys of providers. */
type Shown = Status & { alerts: readonly Alert[]; keys: readonly ProviderKey[] };

/** Everything at a glance, in lines that fit the terminal. @param room columns; everything is shown whole if there is none */
function formatStatus(status: Shown, paint: Paint, room = Number.POSITIVE_INFINITY): string {
  const since = status.requests === null ? '' : ` SINCE ${formatTime(status.requests.since).slice(0, 16)}`;
  const line = <Name extends 'pause' | 'recording' | 'requests' | 'spend' | 'agents' | 'pii' | 'unpriced_models'>(
    name: string,
    part: Name,
    show: (value: Part<Name>) => Line,
  ): Field => {
    const value = status[part];
    const error = status.unavailable.find((each) => each.part === part)?.error ?? 'unknown';
    const { text, style } =
      value === null ? { text: `not known: ${error}`, style: 'red' as const } : show(value as Part<Name>);
    return [name, text, style];
  };
  const table = <Row>(rows: readonly Row[] | undefined, columns: Column<Row>[]) =>
    rows === undefined || rows.length === 0 ? [] : ['', formatTable(rows, columns, paint, room).text];
  const fields = [
    ['at', formatTime(status.at)] as const,
    line('agents', 'pause', showPause),
    line('', 'agents', showAgents),
    line('requests', 'requests', showRequests),
    line('recorded', 'recording', showRecording),
    line('spent today', 'spend', showSpend),
    line('personal data', 'pii', showPii),
    line('unpriced', 'unpriced_models', showUnpriced),
  ];
  return [
    formatFields(fields, paint, room),
    ...table(status.alerts.slice(0, mostAlerts), alertColumns),
    ...(status.alerts.length > mostAlerts ? ['and more: agp alerts'] : []),
    ...table(status.services ?? undefined, serviceColumns),
    ...table(status.keys, keyColumns(status.at)),
    ...table(status.top_spenders ?? undefined, spenderColumns(since)),
  ].join('\n');
}

/** Moves to the top left, and removes what is below. */
const clearScreen = '\u001b[H\u001b[J';

/** What the console's screen Now shows. A status is shown without them if they cannot be read. */
const readAlerts = ({ api }: Shell): Promise<Alert[]> =>
  api.get('/api/v1/alerts', alertListSchema, { state: 'unresolved', limit: `${mostAlerts + 1}` }).then(
    ({ data }) => data.filter(({ severity }) => severity !== 'info'),
    () => [],
  );

const mostKeys = 10;
const shownKeyMs = 30 * 86_400_000;

/** Those that a proxy had in the last 30 days. */
const readKeys = ({ api }: Shell): Promise<ProviderKey[]> =>
  api.get('/api/v1/provider-keys', providerKeyListSchema).then(
    ({ data }) =>
      data.filter(({ last_seen_at: seen }) => Date.now() - Date.parse(seen) < shownKeyMs).slice(0, mostKeys),
    () => [],
  );

/** `status`: everything at a glance. */
export function addStatusCommand(program: Command, shell: Shell): void {
  addCommand(
    program,
    'status',
    'show everything at a glance: what runs, what was spent, refused and found',
    'status --watch',
  )
    .addOption(
      new Option('--from <window>', 'requests, top spenders and personal data since then, from a full hour on')
        .choices(statusWindows)
        .default('1h'),
    )
    .option('--watch', 'show it again and again, until Ctrl-C; while nothing answers it says so and goes on')
    .option('--every <seconds>', 'how often, with --watch', parseWhole(1), 2)
    .action(async ({ from, watch, every }: { from: string; watch?: boolean; every: number }) => {
      const read = () => shell.api.get('/api/v1/status', statusSchema, { from });
      const write = async (status: Status) => {
        return formatStatus(
          { ...status, alerts: await readAlerts(shell), keys: await readKeys(shell) },
          shell.terminal.paint,
          shell.terminal.width,
        );
      };
      if (!watch) {
        const answer = await read();
        const text = shell.json ? '' : await write(answer.data);
        return shell.show(answer, () => text);
      }
      await untilInterrupted(async (signal) => {
        while (!signal.aborted) {
          try {
            const { data, text } = await read();
            const shown = shell.json ? escapeJson(text) : `${await write(data)}\n`;
            const clear = shell.terminal.width !== undefined && !shell.json ? clearScreen : '';
            if (!signal.aborted) await shell.terminal.print(clear + shown);
          } catch (error) {
            if (!(error instanceof ApiFailure && error.mayPass)) throw error;
            shell.terminal.note(`${new Date().toISOString()} ${error.message} (trying again)`);
          }
          await wait(every * 1_000, undefined, { signal }).catch(() => {});
        }
      });
    });
}
