import { type Rule, ruleSchema, type Severity, severities, type Target, tell } from '@agp/alerts';
import { formatCount } from '@agp/core/explain';
import {
  type AlertRow,
  countTold,
  crowdSubject,
  type Db,
  type DocumentRow,
  type FoundAlert,
  listSilent,
  openAlerts,
  resolveAlerts,
  touchAlerts,
} from '@agp/db';
import type { Cause } from './causes/look.ts';
import { isFed } from './senders/senders.ts';

/** Of one rule; what is more is counted in one alert of its own. */
const mostOpen = 100;
/** Of the alert that counts what is more. */
export const moreSubject = 'more';
/** Of one rule, that are told within a minute each. */
const mostTold = 5;
/** UTF-16 units. */
const longest = { title: 300, detail: 600, path: 1_000 };
/** How old the text of an open alert may be, in milliseconds. */
const touchMs = 15_000;

export interface WatchedRule {
  row: DocumentRow<'rule'>;
  rule: Rule;
  /** Its alerts that are not over. */
  open: readonly AlertRow[];
}

/** The rules that are enabled, with what is open of each, and alerts whose rule is gone, with what became of it. A rule that only a later version can read keeps its own. */
export function matchRules(rows: readonly DocumentRow<'rule'>[], open: readonly AlertRow[]) {
  const byRule = Map.groupBy(open, ({ rule_id }) => rule_id);
  const rules = rows.flatMap((row): WatchedRule[] => {
    const { data: rule } = ruleSchema.safeParse(row.rule);
    return rule?.enabled ? [{ row, rule, open: byRule.get(row.id) ?? [] }] : [];
  });
  const kept = new Map(rules.map(({ row, rule }) => [row.id, rule.on]));
  const known = new Set(rows.map(({ id }) => id));
  const unread = new Set(rows.flatMap(({ id, rule }) => (ruleSchema.safeParse(rule).success ? [] : [id])));
  const orphans = open
    .filter(({ rule_id: id, kind }) => !unread.has(id) && kept.get(id) !== kind)
    .map(({ id, rule_id: rule }) => ({
      id,
      end: `its rule was ${known.has(rule) ? 'changed or disabled' : 'deleted'}`,
    }));
  return { rules, orphans };
}

/** Messages of so many alerts that come up at once: five, and one that says how many there are. */
export const countMessages = (rule: Rule, count: number, targets: readonly DocumentRow<'target'>[]): number =>
  findTargets(rule, rule.severity, targets).length * Math.min(count, mostTold + 1);

/** UUIDs of the targets that a rule names, or else of a severity's own; what an Alertmanager has to know it is told again and again. */
function findTargets({ targets }: Rule, severity: Severity, known: readonly DocumentRow<'target'>[]): string[] {
  const isMeant = ({ name, target }: DocumentRow<'target'>) => {
    const { default_for: own = [] } = target as Pick<Target, 'default_for'>;
    return targets.length > 0 ? targets.includes(name) : own.includes(severity);
  };
  return known.filter((each) => isMeant(each) && !isFed(each)).map(({ id }) => id);
}

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

/** One for each minute. */
const tellCrowd = ({ name, severity }: Rule, count: number, at: Date): FoundAlert => ({
  ...{ severity, agentIds: null, reach: 0 },
  ...{ subject: crowdSubject, window: at.toISOString().slice(0, 16), ends: 'notice', path: '/alerts', agentId: null },
  title: `rule ${name}: more than ${mostTold} alerts in a minute`,
  detail: `${formatCount(count)} more so far: they stand in the list and are not told each`,
});

/** The worst first. */
const compare = (one: FoundAlert, other: FoundAlert) =>
  severities.indexOf(other.severity) - severities.indexOf(one.severity) || other.reach - one.reach;

/** Opens alerts, and tells the worst of them: what is worse than its rule is told always. */
async function openFresh(
  transaction: Db,
  { row: { id, name }, rule }: WatchedRule,
  fresh: readonly FoundAlert[],
  { targets, at }: Pick<Settling, 'targets' | 'at'>,
): Promise<number> {
  const targetsOf = (severity: Severity) => findTargets(rule, severity, targets);
  // What is silent waits, and takes no place of others.
  const ids = rule.silences === undefined ? [] : fresh.map(({ agentId }) => agentId);
  const silent = ids.length === 0 ? new Set() : await listSilent(transaction, id, ids);
  const isTold = ({ severity, agentId }: FoundAlert) => targetsOf(severity).length > 0 && !silent.has(agentId);
  const told = fresh.filter(isTold).toSorted(compare);
  const room = told.length === 0 ? 0 : Math.max(0, mostTold - (await countTold(transaction, id)));
  const quiet = new Set(told.filter(({ severity }, at) => at >= room && severity === rule.severity));
  const loud = fresh.filter((each) => !quiet.has(each));
  // Messages of what agents name must not keep others back: these stand in the list alone.
  if (quiet.size > 0) loud.push(tellCrowd(rule, quiet.size, at));
  const of = { id, name, kind: rule.on };
  let opened = await openAlerts(transaction, { ...of, targets: [] }, [...quiet]);
  for (const [severity, found] of Map.groupBy(loud, (each) => each.severity))
    opened += await openAlerts(transaction, { ...of, targets: targetsOf(severity) }, found);
  return opened;
}

interface Sorting {
  at: Date;
  isExact?: ((alert: AlertRow) => boolean) | undefined;
  most?: number | undefined;
}

/** What is found of a rule, with the alert that is open of it, and the alerts that are over. */
export function sortCauses({ rule, open }: WatchedRule, causes: readonly Cause[], sorting: Sorting) {
  const { at, isExact = () => false, most = mostOpen } = sorting;
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
    const more = { subject: moreSubject, title, detail: `only ${most} are told each`, path: '/alerts', ends };
    sorted.push({
      found: { ...more, ...nobody, severity: rule.severity, window: at.toISOString() },
      alert: ends === null ? bySubject.get(moreSubject) : undefined,
    });
  }
  const there = new Set(sorted.flatMap(({ alert }) => alert?.id ?? []));
  const renewed = new Set(sorted.map(({ found }) => found.subject));
  const isOver = (alert: AlertRow) =>
    !there.has(alert.id) &&
    (isExact(alert) ||
      renewed.has(alert.subject) ||
      at.getTime() - alert.seen_at.getTime() >= rule.quiet_minutes * 60_000);
  return { sorted, over: open.filter(isOver) };
}

interface Settling extends Sorting {
  targets: readonly DocumentRow<'target'>[];
  /** What ended alerts, by their ids, as far as it is known. */
  ends?: ReadonlyMap<string, string>;
}

/** Opens alerts of new causes, and ends those whose cause is gone. Returns whether there is something to deliver. */
export async function settleRule(
  transaction: Db,
  watched: WatchedRule,
  causes: readonly Cause[],
  settling: Settling,
): Promise<boolean> {
  const { at, ends = new Map() } = settling;
  const { sorted, over } = sortCauses(watched, causes, settling);
  await resolveAlerts(
    transaction,
    over.map(({ id }) => ({ id, end: ends.get(id) ?? null })),
  );
  const fresh = sorted.flatMap(({ found, alert }) => (alert === undefined ? [found] : []));
  const opened = await openFresh(transaction, watched, fresh, settling);
  const old = sorted.flatMap(({ found, alert }) =>
    alert !== undefined && at.getTime() - alert.seen_at.getTime() >= touchMs ? [{ ...found, id: alert.id }] : [],
  );
  await touchAlerts(transaction, old);
  return opened + over.length > 0;
}
