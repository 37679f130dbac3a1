import type { MonthlyCosts } from '@agp/alerts';
import type { UsageGroup } from '@agp/core/contracts';
import { columnOf } from '@agp/core/contracts';
import { addReport, type Db, listUsage, takeUnreported, type UsageRow } from '@agp/db';
import { every, type Logger } from '@agp/runtime';

const everyMs = 60_000;
/** A month is summed up once it is over for an hour: what is recorded late is in it. */
const settledMs = 3_600_000;
/** What could not be summed up is tried again after this long. */
const tryAgainMs = 3_600_000;
const mostNamed = 10;

interface Sources {
  db: Db;
  /** Reads long sums. */
  records: Db;
  notifier: { wake(): void };
  logger: Logger;
}

/** The last UTC month that is over: `2026-10`, its start and its end. */
function findMonth(at: Date) {
  const settled = new Date(at.getTime() - settledMs);
  const [year, month] = [settled.getUTCFullYear(), settled.getUTCMonth()];
  const [from, to] = [new Date(Date.UTC(year, month - 1)), new Date(Date.UTC(year, month))];
  return { name: from.toISOString().slice(0, 7), range: { from, to } };
}

async function sumMonth(db: Db, { name, range }: ReturnType<typeof findMonth>, by: string): Promise<MonthlyCosts> {
  const group = by as UsageGroup;
  const read = async (groups: UsageGroup[], top?: number) =>
    (await Array.fromAsync(listUsage(db, { ...range, groups, top }))).flat();
  const [all] = await read([]);
  const nameOf = (row: UsageRow) => (group === 'agent' && row.agent_name) || row[columnOf(group) as keyof UsageRow];
  return {
    ...{ month: name, by, total_usd: all?.total_cost_usd ?? 0, request_count: all?.request_count ?? 0 },
    largest: (await read([group], mostNamed)).map((row) => ({
      ...{ name: nameOf(row)?.toString() || null, cost_usd: row.total_cost_usd },
    })),
  };
}

/** On the first of each month tells targets that ask for it what the last one cost, each once. */
export class MonthlyReports {
  readonly #sources: Sources;
  #end: () => Promise<void> = async () => {};

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Looks again and again whether a month is over, until it is stopped. */
  start(): void {
    const { logger } = this.#sources;
    this.#end = every(
      everyMs,
      () => this.look(),
      ({ message: error }) =>
        logger.warn({ error }, 'the costs of a month could not be told; it is tried again in an hour'),
    );
  }

  /** Sums are read before a report is queued: no target is held meanwhile. What fails keeps no other targets from theirs. */
  async look(at = new Date()): Promise<void> {
    const { db, records, notifier } = this.#sources;
    const month = findMonth(at);
    const turn = { month: month.name, at, triedSince: new Date(at.getTime() - tryAgainMs) };
    const failures: unknown[] = [];
    for (const [by, targets] of Map.groupBy(await takeUnreported(db, turn), (target) => target.by))
      try {
        const report = await sumMonth(records, month, by);
        for (const target of targets) if (await addReport(db, target, report)) notifier.wake();
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
  }

  stop(): Promise<void> {
    return this.#end();
  }
}
