import type { ClientBase } from 'pg';
import type { RecordableEvent } from '../recordable-event.ts';
import { toTextArray } from '../to-array-literal.ts';
import type { CountedNames } from './counted-names.ts';
import { type Totals, totalsBy } from './totals-by.ts';

/*
 * Callers choose what models are called, so a table that has a row for each name would grow by a row with each request. Names beyond
 * a bound share a row; the events themselves keep theirs.
 */

/** The name of the row that all further models share. */
export const otherModels = 'other';

/** The columns of usage tables that are not part of their key: type, how two values become one, and the value of a group of events. */
const measures = {
  prompt_tokens: ['bigint', 'sum', (totals: Totals) => totals.promptTokens],
  completion_tokens: ['bigint', 'sum', (totals: Totals) => totals.completionTokens],
  cost_usd: ['numeric', 'sum', (totals: Totals) => totals.costUsd],
  event_count: ['bigint', 'sum', (totals: Totals) => totals.events],
  request_count: ['bigint', 'sum', (totals: Totals) => totals.requests],
  first_event_at: ['timestamptz', 'min', (totals: Totals) => totals.firstAt],
  last_event_at: ['timestamptz', 'max', (totals: Totals) => totals.lastAt],
} as const;

const merge = {
  sum: (table: string, column: string) => `${table}.${column} + EXCLUDED.${column}`,
  min: (table: string, column: string) => `LEAST(${table}.${column}, EXCLUDED.${column})`,
  max: (table: string, column: string) => `GREATEST(${table}.${column}, EXCLUDED.${column})`,
};

/** A table of usage with a row for each model within a group. */
export interface ModelUsage {
  table: string;
  /** The key without `model`: columns with their types, and what an event has there. */
  group: Record<string, { type: 'date' | 'uuid' | 'text'; of: (row: RecordableEvent) => string }>;
  measures: readonly (keyof typeof measures)[];
  /** Models of one group that are counted by name. */
  maxModels: number;
  /** How rows are sorted, so that all writers lock them in one order. */
  order: (model: string) => string;
  /** SQL: the name of a group's advisory lock. */
  lockName: string;
}

function writeStatements({ table, group, measures: counted, maxModels, order, lockName }: ModelUsage) {
  const inGroup = Object.keys(group);
  const keys = [...inGroup, 'model'];
  const columns = [...keys, ...counted].join(', ');
  const types = [...Object.values(group).map(({ type }) => type), 'text', ...counted.map((name) => measures[name][0])];
  const gained = `SELECT * FROM unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')}) AS gained (${columns})`;
  const add = `ON CONFLICT (${keys.join(', ')}) DO UPDATE SET
    ${counted.map((name) => `${name} = ${merge[measures[name][1]](table, name)}`).join(', ')}`;
  const known = `SELECT FROM ${table} AS known WHERE ${inGroup.map((name) => `known.${name} = gained.${name}`).join(' AND ')}`;
  const isKnown = `EXISTS (${known} AND known.model = gained.model)`;
  const room = `${maxModels} - (SELECT count(*) FROM (${known} LIMIT ${maxModels}) AS counted)`;
  const named = inGroup.join(', ');
  return {
    /** For models that have rows. */
    addKnown: `INSERT INTO ${table} (${columns}) ${gained} ORDER BY ${order('model')} ${add}`,
    /**
     * Sent before `addAny`: it holds a lock for each group that may get a new name until the transaction ends, so that writers at work at
     * once do not each fill up the room they saw. It locks nothing where all names are known, or the group is full.
     */
    lock: `
      SELECT pg_advisory_xact_lock(key) FROM (
        SELECT DISTINCT hashtextextended(name, 0) AS key FROM (
          SELECT ${lockName} FROM unnest(${types
            .slice(0, keys.length)
            .map((type, at) => `$${at + 1}::${type}[]`)
            .join(', ')}) AS gained (${keys.join(', ')})
          WHERE NOT ${isKnown} AND ${room} > 0
        ) AS groups (name) ORDER BY key
      ) AS keys`,
    /** For any models: it costs several times as much. */
    addAny: `
      WITH gained AS MATERIALIZED (
        SELECT *, ${isKnown} AS is_known FROM (${gained}) AS gained
      ), room AS MATERIALIZED (
        SELECT ${named}, ${room} AS names FROM (SELECT DISTINCT ${named} FROM gained WHERE NOT is_known) AS gained
      ), named AS (
        SELECT *, CASE
            WHEN is_known OR row_number() OVER (PARTITION BY ${named}, is_known ORDER BY model) <= names THEN model
            ELSE '${otherModels}'
          END AS name
        FROM gained LEFT JOIN room USING (${named})
      )
      INSERT INTO ${table} (${columns})
      SELECT ${named}, name, ${counted.map((name) => `${measures[name][1]}(${name})`).join(', ')}
      FROM named GROUP BY ${named}, name ORDER BY ${order('name')} ${add}
      RETURNING ${keys.map((name) => `${name}::text`).join(', ')}`,
  };
}

/**
 * Makes what adds events to such a table.
 *
 * @returns a function that gives the names that have a row once the transaction is committed, for its argument `counted`
 */
export function makeModelCounter(usage: ModelUsage) {
  const { table, group, measures: columns } = usage;
  const text = writeStatements(usage);
  const keyOf = (row: RecordableEvent) => [...Object.values(group).map(({ of }) => of(row)), row.event.model];
  // No part of a key can hold a NUL.
  const toName = (key: readonly string[]) => key.join('\0');
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
