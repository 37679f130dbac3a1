import { failingBound, findFailing, isSurprising, isSuspect } from '@agp/core/explain';
import { listUsage, readLatestOf, readLatestResults, type UsageRow, type WatchedAgent } from '@agp/db';
import { agentPath, type Cause, type Finder, isFor, type Look, nameOf, searchPath, sharesOf } from './look.ts';

/** What may fail, and the column of events that names it. */
export const failingColumns = { agent: 'agent_id', model: 'model', provider: 'provider' } as const;
type Kind = keyof typeof failingColumns;

/** Of each kind, those that failed most. */
const most = { hours: 20, week: 1_000, shares: 500 };
/** What fails now shows in so many minutes, and of rare requests in the latest ones of both hours. */
export const recent = { minutes: 10, requests: 20 };
/** What several agents fail at shows within a minute, in so great a part of its requests: among those of ten minutes it is few at first. */
const sudden = { minutes: 1, agents: 2, part: 0.5 };
/** The part of a thing's failures that another has, so that it is the other that fails. */
const mostly = 0.8;

type Counts = Pick<UsageRow, 'agent_id' | 'model' | 'provider' | 'request_count' | 'failed_count'> & {
  mostly?: string | null;
};

interface Failing {
  kind: Kind;
  key: string;
  entry: Counts;
  before: number | null;
  /** By what it was found. */
  of: 'minute' | 'soon' | 'hours';
  /** In the latest requests: a run of successes ends it. */
  isStill: boolean;
}

async function readUsage(look: Look, groups: Kind[], from: Date, to: Date | undefined, top: number) {
  return (await Array.fromAsync(listUsage(look.db, { groups, from, to, top, order: 'failed' }))).flat();
}

function sumBy(kind: Kind, rows: readonly Counts[]): Counts[] {
  const column = failingColumns[kind];
  return [...Map.groupBy(rows, (row) => row[column])].map(([key, of]) => ({
    [column]: key,
    request_count: of.reduce((sum, row) => sum + row.request_count, 0),
    failed_count: of.reduce((sum, row) => sum + row.failed_count, 0),
    mostly: of.toSorted((one, other) => other.failed_count - one.failed_count)[0]?.mostly ?? null,
  }));
}

/** What is of this and the last hour, without failures of blocked agents. */
async function readHours(look: Look, kind: Kind): Promise<Counts[]> {
  const hours: Counts[] = await readUsage(look, [kind], look.lastHour, undefined, most.hours);
  if (!hours.some(isSuspect)) return hours;
  if (kind === 'agent') {
    const known = await look.agents(hours.map(({ agent_id = null }) => agent_id));
    return hours.filter(({ agent_id = null }) => known.get(agent_id)?.status !== 'blocked');
  }
  const parts = await readUsage(look, ['agent', kind], look.lastHour, undefined, most.shares);
  const agents = await look.agents(parts.map(({ agent_id = null }) => agent_id));
  const over = parts.filter(({ agent_id = null }) => agents.get(agent_id)?.status === 'blocked');
  const column = failingColumns[kind];
  return hours.map((entry) => {
    const [stopped] = sumBy(
      kind,
      over.filter((row) => row[column] === entry[column]),
    );
    if (stopped === undefined) return entry;
    return {
      ...entry,
      request_count: entry.request_count - stopped.failed_count,
      failed_count: entry.failed_count - stopped.failed_count,
    };
  });
}

type Latest = Record<'minute' | 'soon', readonly Counts[]>;

/** Those of a kind that fail by the bound, and more than by chance: in the last minutes, or in this and the last hour. */
async function findOfKind(look: Look, kind: Kind, latest: Latest): Promise<Failing[]> {
  const column = failingColumns[kind];
  const since = look.lastHour;
  const hours = await readHours(look, kind);
  const soon = sumBy(kind, latest.soon);
  const minute = sumBy(kind, latest.minute).filter(
    ({ failed_count: failed, request_count: all }) => failed >= sudden.part * all,
  );
  if (![...hours, ...soon, ...minute].some((entry) => isSuspect(entry))) return [];
  const weekBefore = new Date(since.getTime() - 7 * 86_400_000);
  const readWeek = () => readUsage(look, [kind], weekBefore, since, most.week);
  const week = await look.once(`week of ${kind}s before ${since.toISOString()}`, readWeek, 10);
  const keyOf = (entry: Counts) => entry[column] as string;
  const find = (entries: readonly Counts[]) =>
    findFailing(entries, week).filter(({ entry, before }) => isSurprising(entry, before));
  const all = Object.entries({ minute, soon, hours }).flatMap(([of, entries]) =>
    find(entries).map((each) => ({ ...each, of: of as Failing['of'], key: keyOf(each.entry) })),
  );
  const keys = [...new Set(all.map(({ key }) => key))];
  const last = keys.length === 0 ? [] : await readLatestOf(look.db, column, keys, since, recent.requests);
  const found = new Map<string, Failing>();
  for (const { entry, before, of, key } of all) {
    const now = last.find((each) => each.key === key);
    const isStill = now !== undefined && now.failed_count >= Math.max(1, failingBound.part * now.request_count);
    // Of all that shows it the longest time says most, while it lasts.
    if (isStill || !found.has(key))
      found.set(key, {
        kind,
        key,
        entry: { ...entry, mostly: entry.mostly ?? now?.mostly ?? null },
        before,
        of,
        isStill,
      });
  }
  return [...found.values()];
}

interface Found {
  failing: Failing[];
  /** How requests of the last minutes, and failures of the last hours, are shared out. */
  shares: Record<Failing['of'], readonly Counts[]>;
  agents: ReadonlyMap<string | null, WatchedAgent>;
}

async function readFailing(look: Look): Promise<Found> {
  const soon = await readLatestResults(look.db, look.ago(recent.minutes));
  const failing = await findOfKind(look, 'agent', { soon, minute: [] });
  const isSudden = failing.filter(({ isStill }) => isStill).length >= sudden.agents;
  const minute = isSudden ? await readLatestResults(look.db, look.ago(sudden.minutes)) : [];
  for (const kind of ['model', 'provider'] as const) failing.push(...(await findOfKind(look, kind, { soon, minute })));
  if (failing.length === 0) return { failing, shares: { minute, soon, hours: [] }, agents: new Map() };
  const hours = await readUsage(look, ['agent', 'model', 'provider'], look.lastHour, undefined, most.shares);
  const agents = await look.agents([
    ...failing.map(({ kind, key }) => (kind === 'agent' ? key : null)),
    ...[...minute, ...soon, ...hours].map(({ agent_id = null }) => agent_id),
  ]);
  const running = hours.filter(({ agent_id = null }) => agents.get(agent_id)?.status !== 'blocked');
  return { failing, shares: { minute, soon, hours: running }, agents };
}

const rowsOf = ({ kind, key, of }: Failing, { shares }: Found) =>
  shares[of].filter((row) => row[failingColumns[kind]] === key);
const sumFailed = (rows: readonly Counts[]) => rows.reduce((sum, row) => sum + row.failed_count, 0);

/** Whether nearly all failures of one are those of another. */
function isMostlyOf(one: Failing, other: Failing, found: Found): boolean {
  const own = rowsOf(one, found);
  return (
    sumFailed(own.filter((row) => row[failingColumns[other.kind]] === other.key)) >=
    mostly * Math.max(1, sumFailed(own))
  );
}

/** Whether a model or a provider fails without the agent that fails most at it, too. */
function failsForOthers(one: Failing, found: Found): boolean {
  const { entry, before } = one;
  const [worst] = sumBy('agent', rowsOf(one, found)).toSorted((a, b) => b.failed_count - a.failed_count);
  const rest = {
    request_count: entry.request_count - (worst?.request_count ?? 0),
    failed_count: entry.failed_count - (worst?.failed_count ?? 0),
  };
  return isSuspect(rest) && isSurprising(rest, before);
}

/** Each fault once: an agent's own is not its provider's, and a provider's is not that of each agent. @param asked what a rule would tell */
function withoutDoubles(asked: readonly Failing[], found: Found): Failing[] {
  const of = (kind: Kind) =>
    asked.filter((each) => each.kind === kind && (kind === 'agent' || failsForOthers(each, found)));
  const isIts = (one: Failing, others: readonly Failing[]) => others.some((other) => isMostlyOf(one, other, found));
  const providers = of('provider');
  const models = of('model').filter((one) => !isIts(one, providers));
  return [...of('agent').filter((one) => !isIts(one, [...providers, ...models])), ...models, ...providers];
}

const pathOf = ({ kind, key }: Failing, look: Look) =>
  kind === 'agent'
    ? agentPath(key)
    : searchPath('/events', { [kind]: key, failed: 'true', from: look.lastHour.toISOString() });

export const failingFinder: Finder<'failing'> = {
  everyMs: 15_000,
  async find(look, rule) {
    const found = await look.once('failing', () => readFailing(look));
    const asked = found.failing.filter(({ kind, key }) => {
      const agent = kind === 'agent' ? found.agents.get(key) : undefined;
      const facts = kind === 'agent' ? { agent } : { [`${kind}s`]: key };
      // Somebody has stopped it already.
      return rule.of.includes(kind) && agent?.status !== 'blocked' && isFor(rule, facts);
    });
    const told = withoutDoubles(asked, found).filter(({ isStill }) => isStill);
    return told.map((each): Cause<'failing'> => {
      const { kind, key, entry, before } = each;
      const isAgent = kind === 'agent';
      const hit = sumBy('agent', rowsOf(each, found)).filter(({ failed_count }) => failed_count > 0);
      const suffering = hit.map((row) => ({ agent_id: row.agent_id as string, count: row.failed_count }));
      return {
        ...{ subject: `${kind} ${key}`, path: pathOf(each, look), agentId: isAgent ? key : null },
        // Its figures are of all agents, so that no team may see it.
        ...(!isAgent && { reach: suffering.length }),
        facts: {
          ...{ what: kind, name: isAgent ? nameOf(found.agents.get(key), key) : key, before },
          ...sharesOf(suffering, found.agents),
          ...{ failed: entry.failed_count, requests: entry.request_count, mostly: entry.mostly ?? null },
        },
      };
    });
  },
};
