import type { ClientBase } from 'pg';
import { type BucketColumn, bucketColumns, spans } from '../usage-columns.ts';
import { toTextArray } from './array-literals.ts';
import { KnownBudgets } from './budget-spend.ts';
import type { RecordableEvent } from './recordable-event.ts';
import { type Totals, totalsBy } from './sum-events.ts';

/** Beyond so many, all are forgotten: memory stays below some 20 MB. */
const maxNames = 50_000;

/** Names that have a row as far as this process knows need no slower statement with the bound. */
export class CountedNames {
  readonly budgets = new KnownBudgets();
  /** Names that are not new to alerts: a set of their own, since callers make up as many as they like. */
  readonly seen = new Set<string>();
  readonly #names = new Set<string>();

  hasAll(names: readonly string[]): boolean {
    return names.every((name) => this.#names.has(name));
  }

  add(names: readonly string[]): void {
    if (this.#names.size + names.length > maxNames) this.#names.clear();
    for (const name of names) this.#names.add(name);
  }
}

/** Callers choose names, and a row for each would fill the table: names beyond a bound share one. */

export const otherNames = 'other';

const buckets = Object.fromEntries(
  spans.flatMap((span) =>
    bucketColumns[span].map((name, at) => [name, ['integer', 'sum', (of: Totals) => of.buckets[span][at] ?? 0]]),
  ),
) as Record<BucketColumn, ['integer', 'sum', (totals: Totals) => number]>;

/** Columns that are not part of the key: type, how two values become one, and the value of a group of events. */
const measures = {
  prompt_tokens: ['bigint', 'sum', (totals: Totals) => totals.promptTokens],
  completion_tokens: ['bigint', 'sum', (totals: Totals) => totals.completionTokens],
  cost_usd: ['numeric', 'sum', (totals: Totals) => totals.costUsd],
  event_count: ['bigint', 'sum', (totals: Totals) => totals.events],
  request_count: ['bigint', 'sum', (totals: Totals) => totals.requests],
  failed_count: ['bigint', 'sum', (totals: Totals) => totals.failed],
  ...buckets,
  first_event_at: ['timestamptz', 'min', (totals: Totals) => totals.firstAt],
  last_event_at: ['timestamptz', 'max', (totals: Totals) => totals.lastAt],
} as const;

const merge = {
  sum: (table: string, column: string) => `${table}.${column} + EXCLUDED.${column}`,
  min: (table: string, column: string) => `LEAST(${table}.${column}, EXCLUDED.${column})`,
  max: (table: string, column: string) => `GREATEST(${table}.${column}, EXCLUDED.${column})`,
};

interface KeyColumn {
  type: 'date' | 'timestamptz' | 'uuid' | 'text';
  /** Its value for an event. */
  of: (row: RecordableEvent) => string;
  /** SQL: the value of a stored row as `of` writes it. */
  shown?: string;
}

export interface NamedUsage {
  table: string;
  /** The columns of the key within which names are bounded. */
  group: Record<string, KeyColumn>;
  /** Further columns of the key, which keep their values beyond the bound. */
  kept?: Record<string, KeyColumn & { type: 'text' }>;
  name: 'model' | 'compliance_tag';
  /** SQL for the value of one of the columns kept, from those of `gained`. */
  renamed?: Record<string, string>;
  measures: readonly (keyof typeof measures)[];
  /** Rows of one group that are counted by name. */
  maxNames: number;
  /** So that all writers lock rows in one order. */
  order: (name: string) => string;
  /** SQL: the name of a group's advisory lock. */
  lockName: string;
}

function writeStatements({ table, group, kept = {}, name: last, renamed = {}, ...usage }: NamedUsage) {
  const { measures: counted, maxNames, order, lockName } = usage;
  const inGroup = Object.keys(group);
  const fixed = [...inGroup, ...Object.keys(kept)];
  const keys = [...fixed, last];
  const columns = [...keys, ...counted].join(', ');
  const keyTypes = [...Object.values({ ...group, ...kept }).map(({ type }) => type), 'text'];
  const types = [...keyTypes, ...counted.map((name) => measures[name][0])];
  const unnested = (of: readonly string[]) => `unnest(${of.map((type, at) => `$${at + 1}::${type}[]`).join(', ')})`;
  const gained = `SELECT * FROM ${unnested(types)} AS gained (${columns})`;
  const add = `ON CONFLICT (${keys.join(', ')}) DO UPDATE SET
    ${counted.map((name) => `${name} = ${merge[measures[name][1]](table, name)}`).join(', ')}`;
  const isSame = (names: readonly string[]) => names.map((name) => `known.${name} = gained.${name}`).join(' AND ');
  const isKnown = `EXISTS (SELECT FROM ${table} AS known WHERE ${isSame(keys)})`;
  const inSameGroup = `SELECT FROM ${table} AS known WHERE ${isSame(inGroup)}`;
  const room = `${maxNames} - (SELECT count(*) FROM (${inSameGroup} LIMIT ${maxNames}) AS counted)`;
  const named = inGroup.join(', ');
  const rename = columns.split(', ').map((column) => (renamed[column] ? `${renamed[column]} AS ${column}` : column));
  const shown = { ...group, ...kept };
  return {
    /** For names that have rows. */
    addKnown: `INSERT INTO ${table} (${columns}) ${gained} ORDER BY ${order(last)} ${add}`,
    /** Sent before `addAny`: its locks keep writers at work at once from each filling up the room they saw. */
    lock: `
      SELECT pg_advisory_xact_lock(key) FROM (
        SELECT DISTINCT hashtextextended(name, 0) AS key FROM (
          SELECT ${lockName} FROM ${unnested(keyTypes)} AS gained (${keys.join(', ')})
          WHERE NOT ${isKnown} AND ${room} > 0
        ) AS groups (name) ORDER BY key
      ) AS keys`,
    addAny: `
      WITH gained AS MATERIALIZED (
        SELECT *, ${isKnown} AS is_known FROM (SELECT ${rename.join(', ')} FROM (${gained}) AS gained) AS gained
      ), room AS MATERIALIZED (
        SELECT ${named}, ${room} AS names FROM (SELECT DISTINCT ${named} FROM gained WHERE NOT is_known) AS gained
      ), named AS (
        SELECT *, CASE
            WHEN is_known OR row_number() OVER (
              PARTITION BY ${named}, is_known ORDER BY ${keys.slice(inGroup.length).join(', ')}
            ) <= names THEN ${last}
            ELSE '${otherNames}'
          END AS name
        FROM gained LEFT JOIN room USING (${named})
      )
      INSERT INTO ${table} (${columns})
      SELECT ${fixed.join(', ')}, name, ${counted.map((name) => `${measures[name][1]}(${name})`).join(', ')}
      FROM named GROUP BY ${fixed.join(', ')}, name ORDER BY ${order('name')} ${add}
      RETURNING ${keys.map((name) => `${shown[name]?.shown ?? `${name}::text`} AS "${name}"`).join(', ')}`,
  };
}

/** Returns, for its argument `counted`, the names that have a row once the transaction is committed. */
export function makeNameCounter(usage: NamedUsage) {
  const { table, group, kept, name: last, measures: columns } = usage;
  const text = writeStatements(usage);
  const readers = Object.values({ ...group, ...kept }).map(({ of }) => of);
  const keyOf = (row: RecordableEvent) => [...readers.map((of) => of(row)), row.event[last]];
  // No part of a key can hold a NUL.
  const toName = (key: readonly string[]) => [table, ...key].join('\0');
  return async (client: ClientBase, rows: readonly RecordableEvent[], counted: CountedNames): Promise<string[]> => {
    const groups = totalsBy(rows, (row) => toName(keyOf(row)));
    const totals = [...groups.values()];
    const names = totals.map(({ latest }) => keyOf(latest));
    const keys = Object.keys(names[0] ?? []).map((at) => toTextArray(names.map((key) => key[Number(at)] ?? '')));
    const values = [
      ...keys,
      ...columns.map((name) => toTextArray(totals.map((each) => String(measures[name][2](each))))),
    ];
    if (counted.hasAll([...groups.keys()])) {
      await client.query({ name: `add-known-to-${table}`, text: text.addKnown, values });
      return [];
    }
    const [, added] = await Promise.all([
      client.query({ name: `lock-new-in-${table}`, text: text.lock, values: keys }),
      client.query<Record<string, string>>({ name: `add-any-to-${table}`, text: text.addAny, values }),
    ]);
    return added.rows.map((row) => toName(Object.values(row)));
  };
}
