import { columnFields, type EventMessage, eventFields } from '@agp/core/events';
import { nanoToDecimal } from '@agp/core/money';
import type { ClientBase } from 'pg';
import { toNullableTextArray, toPlainArray, toTextArray } from './array-literals.ts';
import type { RecordableLink } from './recordable-event.ts';

interface ColumnWriter {
  name: string;
  /** The column of all rows as one parameter. pg takes three times as long to write an array, and for payloads 10 µs more an event. */
  write: (rows: readonly RecordableLink[]) => string;
  /** The parameter as an array. */
  array: (parameter: string) => string;
  /** The column's value, if it is not the array's element. */
  select?: string;
}

function plain(name: string, type: string, read: (row: RecordableLink) => unknown): ColumnWriter {
  return { name, write: (rows) => toPlainArray(rows.map(read)), array: (parameter) => `${parameter}::${type}[]` };
}

function text(name: string, read: (row: RecordableLink) => string): ColumnWriter {
  return { name, write: (rows) => toTextArray(rows.map(read)), array: (parameter) => `${parameter}::text[]` };
}

function nullable(name: string, type: string, read: (row: RecordableLink) => string | null | undefined): ColumnWriter {
  return {
    name,
    write: (rows) => toNullableTextArray(rows.map(read)),
    array: (parameter) => `${parameter}::${type}[]`,
  };
}

/** What a column of the table of fields is written from, if it is not the event's member of that name. */
const sources: Partial<Record<keyof EventMessage, { name?: string; read: (row: RecordableLink) => string }>> = {
  id: { read: (row) => row.id },
  agent_id: { read: (row) => row.agentId },
  cost_nano_usd: { name: 'cost_usd', read: (row) => nanoToDecimal(row.event.cost_nano_usd) },
};

function toColumn(field: (typeof columnFields)[number]): ColumnWriter {
  const { name = field, read } = sources[field] ?? {};
  const type = eventFields[field].column;
  const value = (row: RecordableLink) => (read ? read(row) : row.event[field]) as string | null | undefined;
  if (type === 'jsonb')
    return nullable(name, type, ({ event }) => (event[field] ? JSON.stringify(event[field]) : null));
  // Arrays of arrays have to be rectangular, so each list travels as text.
  if (type === 'text[]')
    return { ...text(name, ({ event }) => toTextArray(event[field] as string[])), select: `${name}::text[]` };
  if (type === 'text') return nullable(name, type, value);
  return plain(name, type === 'word' ? 'text' : type, (row) => value(row) ?? 'NULL');
}

const columns: readonly ColumnWriter[] = [
  ...columnFields.map(toColumn),
  plain('seq', 'bigint', (row) => row.seq),
  plain('lineage_hash', 'text', (row) => row.lineageHash),
  // Canonical JSON has no raw line feeds, but hundreds of quotes that an array literal would have to escape.
  {
    name: 'payload',
    write: (rows) => rows.map((row) => row.payload).join('\n'),
    array: (parameter) => `string_to_array(${parameter}, E'\\n')`,
  },
];

/** What a writer fills of `events`. */
export const insertedColumns: readonly string[] = columns.map(({ name }) => name);

const names = columns.map(({ name }) => `"${name}"`).join(', ');
const selected = columns.map(({ name, select }) => select ?? `"${name}"`).join(', ');
const arrays = columns.map(({ array }, index) => array(`$${index + 1}`)).join(', ');
const statement = `INSERT INTO events (${names}) SELECT ${selected} FROM unnest(${arrays}) AS linked (${names})`;

/** One plan whatever their number, and no limit on parameters. */
export async function insertEvents(client: ClientBase, rows: readonly RecordableLink[]): Promise<void> {
  await client.query({ name: 'insert-events', text: statement, values: columns.map(({ write }) => write(rows)) });
}
