import { type BilledProvider, billedDays, billedProviders, maxPageSize } from '@agp/core/contracts';
import {
  type Db,
  listDoubtfulUsage,
  listUnpricedModels,
  listUnrecorded,
  listUsage,
  noteBillFailure,
  storeBill,
  takeBillTurn,
  type UsageRow,
} from '@agp/db';
import {
  BillError,
  billingApis,
  type Days,
  explainInSteps,
  findKnown,
  type Records,
  readBill,
  widenDays,
} from '@agp/invoices';
import { every, inTurns, type Logger, toVariable } from '@agp/runtime';
import { createEgress, type EgressSettings, fetchBy } from '@agp/runtime/egress';
import { billingSettings, type ManagementConfig } from '@agp/settings';
import { billingConnectMs, maxExplaining, maxReconciled } from '../limits.ts';
import { presentRow, presentUnrecordedRequest } from '../presenters.ts';

const dayMs = 86_400_000;
const lookEveryMs = 10_000;
/** After it a day's bill is taken for complete: reports are hours late. */
const nightHourMs = 5 * 3_600_000;
/** A bill that could not be read is tried again after this long. */
const tryAgainMs = 3_600_000;

type Settings = EgressSettings &
  Partial<Pick<ManagementConfig, (typeof billingSettings)[BilledProvider]['key' | 'address']>>;

interface Sources {
  db: Db;
  /** Reads long sums. */
  records: Db;
  config: Settings;
  logger: Logger;
}

/** All pages of a list as the API has it, newest first, up to a bound. */
async function readPages<Row, Shown>(
  read: (page: { limit: number; offset: number }) => Promise<Row[]>,
  present: (row: Row) => Shown,
): Promise<Shown[]> {
  const rows: Shown[] = [];
  while (rows.length < maxExplaining) {
    const page = await read({ limit: maxPageSize, offset: rows.length });
    rows.push(...page.map(present));
    if (page.length < maxPageSize) break;
  }
  return rows;
}

function checkLines(count: number): void {
  if (count > maxReconciled) throw new BillError(`The bill and the records have more than ${maxReconciled} lines.`);
}

/**
 * What is recorded of a provider on some days, and what is known to be missing.
 * @param billed how many lines the bill has
 * @throws BillError if both have too many, before all are in memory
 */
async function readRecords(db: Db, provider: BilledProvider, days: Days, billed: number): Promise<Records> {
  checkLines(billed);
  const range = { from: new Date(days.from), to: new Date(days.to) };
  const usage: UsageRow[] = [];
  for await (const rows of listUsage(db, { ...range, groups: ['day', 'model', 'provider'] })) {
    usage.push(...rows.filter((row) => row.provider === provider));
    checkLines(billed + usage.length);
  }
  return {
    usage,
    unpriced: (await listUnpricedModels(db)).map((row) => presentRow(row)),
    unrecorded: await readPages((page) => listUnrecorded(db, range, page), presentUnrecordedRequest),
    doubtful: await readPages(
      (page) => listDoubtfulUsage(db, range, page),
      (row) => presentRow(row),
    ),
  };
}

/** Reads providers' bills each night, in one process at a time, and keeps them beside what is recorded, with the causes of each gap. */
export class BillKeeper {
  readonly #sources: Sources;
  readonly #fetch: ReturnType<typeof fetchBy>;
  #end: () => Promise<void> = async () => {};

  constructor(sources: Sources) {
    this.#sources = sources;
    this.#fetch = fetchBy(createEgress(sources.config), billingConnectMs);
  }

  /** Looks again and again whether a bill is due, until it is stopped. */
  start(): void {
    this.#end = every(lookEveryMs, () => this.look(), this.#warn);
  }

  readonly #warn = ({ message: error }: Error) =>
    this.#sources.logger.warn({ error }, 'bills of providers could not be read; it is tried again in an hour');

  /** Reads the bills that were not read since the last night, and whose key is set. */
  async look(at = new Date()): Promise<void> {
    const { db, config } = this.#sources;
    const night = new Date(Math.floor((at.getTime() - nightHourMs) / dayMs) * dayMs + nightHourMs);
    const turn = { at, readSince: night, triedSince: new Date(at.getTime() - tryAgainMs) };
    for (const provider of billedProviders) {
      const key = config[billingSettings[provider].key];
      if (key === undefined || !(await takeBillTurn(db, provider, turn))) continue;
      await this.#read(provider, key, at).catch(async (error: Error) => {
        this.#warn(error);
        const told = error instanceof BillError ? error.message : 'what is recorded could not be read';
        await noteBillFailure(db, provider, told);
      });
    }
  }

  async #read(provider: BilledProvider, key: string, at: Date): Promise<void> {
    const { db, records, config } = this.#sources;
    const { key: keyField, address } = billingSettings[provider];
    const toDay = (daysAgo: number) => new Date(at.getTime() - daysAgo * dayMs).toISOString().slice(0, 10);
    const days = { from: toDay(billedDays), to: toDay(0) };
    const wide = widenDays(days, at.getTime());
    const billed = await readBill(billingApis[provider], {
      ...{ baseUrl: config[address] ?? billingApis[provider].baseUrl, key, keyVariable: toVariable(keyField) },
      ...{ days: wide, withAccounts: false, ...(this.#fetch && { fetch: this.#fetch }) },
    });
    const read = await readRecords(records, provider, wide, billed.length);
    const gaps = await inTurns(explainInSteps({ billed, ...findKnown([provider], read) }));
    const rows = gaps.filter(({ day }) => day >= days.from && day < days.to);
    await storeBill(db, provider, { at, ...days, rows });
  }

  /** Leaves what is being read: another process reads it an hour later. */
  stop(): Promise<void> {
    return this.#end();
  }
}
