import { sql } from 'kysely';
import type { Db } from '../src/database.ts';

interface Column {
  name: string;
  type: string;
  required: boolean;
  filled: boolean;
}

/** The parts of the schema that statements of an earlier version may rely on. */
export interface SchemaShape {
  /** By table or view. Partitions are not among them. */
  columns: Map<string, Column[]>;
  /** Uniqueness and checks, by table: what writes must obey, and what `ON CONFLICT` names. */
  rules: Map<string, string[]>;
}

/** Reads what the tables and views of our schemas look like to those who use them. */
export async function readShape(db: Db): Promise<SchemaShape> {
  const { rows: columns } = await sql<Column & { relation: string }>`
    SELECT format('%I.%I', nspname, relname) AS relation, attname AS name, format_type(atttypid, atttypmod) AS type,
      attnotnull AS required, atthasdef OR attidentity <> '' AS filled
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname IN ('public', 'reporting') AND relkind IN ('r', 'p', 'v', 'm') AND NOT relispartition
      AND attnum > 0 AND NOT attisdropped AND relname NOT LIKE 'kysely%'`.execute(db);
  const { rows: rules } = await sql<{ relation: string; rule: string }>`
    SELECT relation, rule FROM (
      SELECT indrelid AS oid, 'unique ' || substring(pg_get_indexdef(indexrelid) FROM 'USING .*') AS rule
      FROM pg_index WHERE indisunique
      UNION ALL
      SELECT conrelid, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype IN ('c', 'f', 'x')
    ) AS all_rules
    JOIN pg_class USING (oid) JOIN pg_namespace ON pg_namespace.oid = relnamespace
    CROSS JOIN LATERAL (SELECT format('%I.%I', nspname, relname) AS relation) AS named
    WHERE nspname = 'public' AND NOT relispartition`.execute(db);
  const group = <Row extends { relation: string }>(rows: Row[]) => Map.groupBy(rows, ({ relation }) => relation);
  return {
    columns: group(columns),
    rules: new Map([...group(rules)].map(([relation, found]) => [relation, found.map(({ rule }) => rule)])),
  };
}

/**
 * Lists the schema changes that would break an older version: columns that are gone, have another type, or are newly required.
 * Additions break nothing.
 */
export function findContractions(before: SchemaShape, after: SchemaShape): string[] {
  return [...before.columns].flatMap(([relation, columns]) => {
    const now = new Map(after.columns.get(relation)?.map((column) => [column.name, column]));
    if (now.size === 0) return [`${relation} is gone`];
    const [had, has] = [before.rules.get(relation) ?? [], after.rules.get(relation) ?? []];
    return [
      ...columns.flatMap((column) => compareColumn(`${relation}.${column.name}`, column, now.get(column.name))),
      ...[...now.values()]
        .filter(({ name, required, filled }) => required && !filled && !columns.some((column) => column.name === name))
        .map(({ name }) => `${relation}.${name} is new and must be given`),
      ...had.filter((rule) => !has.includes(rule)).map((rule) => `${relation} lost ${rule}`),
      ...has.filter((rule) => !had.includes(rule)).map((rule) => `${relation} got ${rule}`),
    ];
  });
}

function compareColumn(name: string, was: Column, is: Column | undefined): string[] {
  if (is === undefined) return [`${name} is gone`];
  return [
    ...(is.type === was.type ? [] : [`${name} is ${is.type}, was ${was.type}`]),
    ...(is.required && !was.required ? [`${name} must be given`] : []),
    ...(was.filled && !is.filled ? [`${name} lost its default`] : []),
  ];
}
