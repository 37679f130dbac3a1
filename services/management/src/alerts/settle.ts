import { formatCount } from '@agp/core/explain';
import {
  type AlertRow,
  countTold,
  type Db,
  type FoundAlert,
  openAlerts,
  type RuleRow,
  resolveAlerts,
  type TargetRow,
  touchAlerts,
} from '@agp/db';
import { type Rule, ruleSchema, tell } from '@agp/notifications';
import type { Cause } from './causes/look.ts';
import { isFed } from './senders/senders.ts';

/** Of one rule; what is more is counted in one alert of its own. */
const mostOpen = 100;
/** Of one rule, that are told within a minute each. */
const mostNotices = 10;
/** UTF-16 units. */
const longest = { title: 300, detail: 600, path: 1_000 };
/** How old the text of an open alert may be, in milliseconds. */
const touchMs = 15_000;

export interface WatchedRule {
  row: RuleRow;
  rule: Rule;
  /** Its alerts that are not over. */
  open: readonly AlertRow[];
}

/** The rules that are enabled, with what is open of each, and alerts whose rule is gone. A rule that only a later version can read keeps its own. */
export function matchRules(rows: readonly RuleRow[], open: readonly AlertRow[]) {
  const byRule = Map.groupBy(open, ({ rule_id }) => rule_id);
  const rules = rows.flatMap((row): WatchedRule[] => {
    const { data: rule } = ruleSchema.safeParse(row.rule);
    return rule?.enabled ? [{ row, rule, open: byRule.get(row.id) ?? [] }] : [];
  });
  const kept = new Map(rules.map(({ row, rule }) => [row.id, rule.on]));
  const unread = new Set(rows.flatMap(({ id, rule }) => (ruleSchema.safeParse(rule).success ? [] : [id])));
  return { rules, orphans: open.filter(({ rule_id: id, kind }) => !unread.has(id) && kept.get(id) !== kind) };
}

/** UUIDs of the targets that a rule names; what an Alertmanager has to know it is told again and again. */
const findTargets = ({ targets }: Rule, known: readonly TargetRow[]) =>
  known.filter((each) => targets.includes(each.name) && !isFed(each)).map(({ id }) => id);

/** Agents of one alert that are kept. */
const mostAgents = 100;

function toFound({ on, severity }: Rule, cause: Cause, at: Date): FoundAlert {
  const { subject, window, facts, path, agentId = null, ends } = cause;
  const { title, detail } = tell(on, facts);
  const agentIds = cause.agentIds ?? (agentId === null ? [] : [agentId]);
  return {
    severity: cause.severity ?? severity,
    agentIds: agentIds.length > mostAgents ? null : agentIds,
    reach: cause.reach ?? agentIds.length,
    ...{ subject, window: window ?? at.toISOString() },
    ...{ title: title.slice(0, longest.title).toWellFormed(), detail: detail.slice(0, longest.detail).toWellFormed() },
    ...{ path: path.slice(0, longest.path), agentId, ends: ends ?? null },
  };
}

interface Settling {
  targets: readonly TargetRow[];
  at: Date;
  isExact?: ((alert: AlertRow) => boolean) | undefined;
  most?: number | undefined;
}

/** One for each minute. */
const tellCrowd = (rule: string, { severity }: Rule, at: Date): FoundAlert => ({
  ...{ severity, agentIds: null, reach: 0 },
  ...{ subject: 'crowd', window: at.toISOString().slice(0, 16), ends: 'notice', path: '/alerts', agentId: null },
  title: `rule ${rule}: more than ${mostNotices} in a minute`,
  detail: 'all stand in the list of alerts; these are not told each',
});

/** Opens alerts of new causes, and ends those whose cause is gone. Returns whether there is something to deliver. */
export async function settleRule(
  transaction: Db,
  { row, rule, open }: WatchedRule,
  causes: readonly Cause[],
  { targets, at, isExact = () => false, most = mostOpen }: Settling,
): Promise<boolean> {
  const bySubject = new Map(open.map((alert) => [alert.subject, alert]));
  const once = new Map(causes.map((cause) => [`${cause.subject}\n${cause.window}\n${cause.ends}`, cause]));
  const all = [...once.values()].map((cause) => {
    const alert = cause.ends === undefined ? bySubject.get(cause.subject) : undefined;
    const isSame = alert !== undefined && (cause.window === undefined || cause.window === alert.window);
    return { found: toFound(rule, cause, at), alert: isSame ? alert : undefined };
  });
  // All that is open stays; of the rest there are as many as there is room for.
  const sorted = all.toSorted((one, other) => Number(one.alert === undefined) - Number(other.alert === undefined));
  const rest = sorted.splice(most);
  if (rest.length > 0) {
    const title = `rule ${rule.name}: ${formatCount(rest.length)} more`;
    const ends = rest.every(({ found }) => found.ends === 'notice') ? ('notice' as const) : null;
    const nobody = { agentId: null, agentIds: null, reach: 0 };
    const more = { subject: 'more', title, detail: `only ${most} are told each`, path: '/alerts', ends };
    sorted.push({
      found: { ...more, ...nobody, severity: rule.severity, window: at.toISOString() },
      alert: ends === null ? bySubject.get('more') : undefined,
    });
  }
  const there = new Set(sorted.flatMap(({ alert }) => alert?.id ?? []));
  const renewed = new Set(sorted.map(({ found }) => found.subject));
  const isOver = (alert: AlertRow) =>
    !there.has(alert.id) &&
    (isExact(alert) ||
      renewed.has(alert.subject) ||
      at.getTime() - alert.seen_at.getTime() >= rule.quiet_minutes * 60_000);
  const over = open.filter(isOver).map(({ id }) => id);
  await resolveAlerts(transaction, over);
  const { id, name } = row;
  const told = { id, name, kind: rule.on, targets: findTargets(rule, targets) };
  const fresh = sorted.flatMap(({ found, alert }) => (alert === undefined ? [found] : []));
  const isNotice = ({ ends }: FoundAlert) => ends === 'notice';
  const isTold = told.targets.length > 0 && fresh.some(isNotice);
  const room = isTold ? Math.max(0, mostNotices - (await countTold(transaction, id))) : fresh.length;
  const quiet = fresh.filter(isNotice).slice(room);
  const loud = fresh.filter((each) => !quiet.includes(each));
  // Messages of what agents name must not keep others back: these stand in the list alone.
  if (quiet.length > 0) loud.push(tellCrowd(name, rule, at));
  const opened =
    (await openAlerts(transaction, told, loud)) + (await openAlerts(transaction, { ...told, targets: [] }, quiet));
  const old = sorted.flatMap(({ found, alert }) =>
    alert !== undefined && at.getTime() - alert.seen_at.getTime() >= touchMs ? [{ ...found, id: alert.id }] : [],
  );
  await touchAlerts(transaction, old);
  return opened + over.length > 0;
}
