import type { Alert, MonthlyCosts, Occasion } from '@agp/alerts';
import { formatDuration, formatUtc } from '@agp/core/explain';
import { toPublicId } from '@agp/core/ids';
import { toLineText } from '@agp/core/text';
import type { AlertRow } from '@agp/db';
import { presentAlert } from '../../presenters.ts';

/** What is said, whoever takes it. */
interface Said {
  /** The same at each try. */
  id: string;
  /** When it came up or was over, or now; of a report the end of its month. */
  at: string;
  /** To the screen that shows the cause. */
  link: string | null;
  /** That, and one that asks whether to block the agent that it is of; none if nobody told the console's address. */
  links: readonly { title: string; url: string }[];
  /** Says it all. */
  first: string;
  /** Lines of who, when and how. */
  rest: string[];
}

export interface AlertMessage extends Said {
  occasion: Exclude<Occasion, 'report'>;
  alert: Alert;
  /** What it is of, within its rule. */
  subject: string;
}

export interface ReportMessage extends Said {
  occasion: 'report';
  report: MonthlyCosts;
}

export type Message = AlertMessage | ReportMessage;

interface Told {
  id: string;
  occasion: AlertMessage['occasion'];
  row: AlertRow;
  consoleOrigin: string | undefined;
}

/** To the minute. */
const minuteOf = (timestamp: string) => formatUtc(`${timestamp.slice(0, 16)}Z`);

const longestTitle = 500;
const longestDetail = 1_000;

const tellEnd = (from: Date, to: Date) =>
  `until ${minuteOf(to.toISOString())}, for ${formatDuration(to.getTime() - from.getTime())}`;

/** Texts are those of one line each: agents choose names within them. */
export function writeMessage({ id, occasion, row, consoleOrigin }: Told): AlertMessage {
  const alert = presentAlert(row);
  const head = { opened: row.severity.toUpperCase(), resolved: 'resolved', test: 'test' }[occasion];
  const facts = [
    `rule ${row.rule}`,
    `since ${minuteOf(alert.opened_at)}`,
    occasion === 'resolved' && row.resolved_at && tellEnd(row.opened_at, row.resolved_at),
    alert.acknowledged_by && `acknowledged by ${alert.acknowledged_by}`,
  ].filter(Boolean);
  const canBlock = occasion === 'opened' && alert.agent_id !== null && row.severity !== 'info';
  const paths = { 'Look at it': row.path, ...(canBlock && { 'Block it': `/agents/${alert.agent_id}#block` }) };
  const links =
    consoleOrigin === undefined
      ? []
      : Object.entries(paths).map(([title, path]) => ({ title, url: new URL(path, consoleOrigin).href }));
  return {
    ...{ id: toPublicId('dlv', id), occasion, alert, subject: row.subject },
    at: (occasion === 'resolved' && alert.resolved_at) || alert.opened_at,
    ...{ link: links[0]?.url ?? null, links },
    first: toLineText(`${head}: ${row.title}`, longestTitle),
    rest: [row.detail, facts.join(', ')].filter(Boolean).map((line) => toLineText(line, longestDetail)),
  };
}

/** An alert that says nothing is wrong, for tests of a target. */
export const exampleAlert = (id: string, target: string, now: Date): AlertRow => ({
  ...{ id, rule_id: id, rule: 'test', kind: 'recording', severity: 'info', subject: 'test', window: '' },
  ...{ title: `the target ${target} is reached`, detail: 'nothing is wrong', path: '/alerts', agent_id: null },
  ...{ agent_ids: null, reach: 0 },
  ...{ opened_at: now, seen_at: now, acknowledged_at: null, acknowledged_by: null, resolved_at: null },
  changed_at: now,
});
