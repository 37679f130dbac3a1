import {
  type AlertRow,
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

/** The rules that are enabled, with what is open of each, and alerts whose rule is gone. */
export function matchRules(rows: readonly RuleRow[], open: readonly AlertRow[]) {
  const byRule = Map.groupBy(open, ({ rule_id }) => rule_id);
  const rules = rows.flatMap((row): WatchedRule[] => {
    const { data: rule } = ruleSchema.safeParse(row.rule);
    return rule?.enabled ? [{ row, rule, open: byRule.get(row.id) ?? [] }] : [];
  });
  const kept = new Map(rules.map(({ row, rule }) => [row.id, rule.on]));
  return { rules, orphans: open.filter(({ rule_id, kind }) => kept.get(rule_id) !== kind) };
}

/** UUIDs of the targets that a rule names; what an Alertmanager has to know it is told again and again. */
const findTargets = ({ targets }: Rule, known: readonly TargetRow[]) =>
  known.filter((each) => targets.includes(each.name) && !isFed(each)).map(({ id }) => id);

function toFound({ on }: Rule, { subject, window, facts, path, agentId = null, ends }: Cause, at: Date): FoundAlert {
  const { title, detail } = tell(on, facts);
  return {
    ...{ subject, window: window ?? at.toISOString() },
    ...{ title: title.slice(0, longest.title).toWellFormed(), detail: detail.slice(0, longest.detail).toWellFormed() },
    ...{ path: path.slice(0, longest.path), agentId, ends: ends ?? null },
  };
}

/** All that is open stays; of the rest as many as there is room for, and one alert for those without. */
function limitCauses(causes: readonly Cause[], isOpen: (cause: Cause) => boolean): { kept: Cause[]; more: number } {
  const sorted = causes.toSorted((one, other) => Number(isOpen(other)) - Number(isOpen(one)));
  return { kept: sorted.slice(0, mostOpen), more: Math.max(0, sorted.length - mostOpen) };
}

interface Settling {
  targets: readonly TargetRow[];
  at: Date;
  /** What has no cause is over at once. */
  isExact: boolean;
}

/** Opens alerts of new causes, and ends those whose cause is gone. Returns whether there is something to deliver. */
export async function settleRule(
  transaction: Db,
  { row, rule, open }: WatchedRule,
  causes: readonly Cause[],
  { targets, at, isExact }: Settling,
): Promise<boolean> {
  const bySubject = new Map(open.map((alert) => [alert.subject, alert]));
  const alertOf = ({ subject, window, ends }: Cause) => {
    const alert = ends === undefined ? bySubject.get(subject) : undefined;
    return alert && (window === undefined || window === alert.window) ? alert : undefined;
  };
  const { kept, more } = limitCauses(causes, (cause) => alertOf(cause) !== undefined);
  const found = kept.filter((cause) => alertOf(cause) === undefined).map((cause) => toFound(rule, cause, at));
  const seen = kept.flatMap((cause) => {
    const alert = alertOf(cause);
    return alert ? [{ alert, found: toFound(rule, cause, at) }] : [];
  });
  const rest = { title: `rule ${rule.name}: ${more} more`, detail: `only ${mostOpen} are told each`, path: '/alerts' };
  const restAlert = bySubject.get('more');
  if (more > 0 && restAlert === undefined)
    found.push({ ...rest, subject: 'more', window: at.toISOString(), agentId: null, ends: null });
  const there = new Set([...seen.map(({ alert }) => alert.id), ...(more > 0 && restAlert ? [restAlert.id] : [])]);
  const renewed = new Set(kept.map(({ subject }) => subject));
  const isOver = ({ id, subject, seen_at }: AlertRow) =>
    !there.has(id) &&
    (isExact || renewed.has(subject) || at.getTime() - seen_at.getTime() >= rule.quiet_minutes * 60_000);
  const over = open.filter(isOver);
  await resolveAlerts(
    transaction,
    over.map(({ id }) => id),
  );
  const { id, name } = row;
  const { on: kind, severity } = rule;
  const opened = await openAlerts(
    transaction,
    { id, name, kind, severity, targets: findTargets(rule, targets) },
    found,
  );
  const old = seen.filter(({ alert }) => at.getTime() - alert.seen_at.getTime() >= touchMs);
  await touchAlerts(
    transaction,
    old.map(({ alert, found: { title, detail } }) => ({ id: alert.id, title, detail })),
  );
  return opened + over.length > 0;
}
