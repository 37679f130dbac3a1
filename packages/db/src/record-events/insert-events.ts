import { nanoToDecimal } from '@agp/core/money';
import type { ClientBase } from 'pg';
import { toNullableTextArray, toPlainArray, toTextArray } from './array-literals.ts';
import type { RecordableLink } from './recordable-event.ts';

interface Column {
  name: string;
  /** The column of all rows as one parameter. pg takes three times as long to write an array, and for payloads 10 µs more an event. */
  write: (rows: readonly RecordableLink[]) => string;
  /** The parameter as an array. */
  array: (parameter: string) => string;
  /** The column's value, if it is not the array's element. */
  select?: string;
}

function plain(name: string, type: string, read: (row: RecordableLink) => unknown): Column {
  return { name, write: (rows) => toPlainArray(rows.map(read)), array: (parameter) => `${parameter}::${type}[]` };
}

function text(name: string, read: (row: RecordableLink) => string): Column {
  return { name, write: (rows) => toTextArray(rows.map(read)), array: (parameter) => `${parameter}::text[]` };
}

function nullable(name: string, type: string, read: (row: RecordableLink) => string | null | undefined): Column {
  return {
    name,
    write: (rows) => toNullableTextArray(rows.map(read)),
    array: (parameter) => `${parameter}::${type}[]`,
  };
}

function json(name: 'pii_findings' | 'decision' | 'tools' | 'asked'): Column {
  return nullable(name, 'jsonb', ({ event }) => event[name] && JSON.stringify(event[name]));
}

const columns: readonly Column[] = [
  plain('id', 'uuid', (row) => row.id),
  plain('session_id', 'text', (row) => row.event.session_id),
  plain('seq', 'bigint', (row) => row.seq),
  plain('agent_id', 'uuid', (row) => row.agentId),
  plain('timestamp', 'timestamptz', (row) => row.event.timestamp),
  plain('direction', 'text', (row) => row.event.direction),
  text('model', (row) => row.event.model),
  text('provider', (row) => row.event.provider),
  plain('prompt_tokens', 'bigint', (row) => row.event.prompt_tokens),
  plain('completion_tokens', 'bigint', (row) => row.event.completion_tokens),
  plain('total_tokens', 'bigint', (row) => row.event.total_tokens),
  plain('cost_usd', 'numeric', (row) => nanoToDecimal(row.event.cost_nano_usd)),
  text('compliance_tag', (row) => row.event.compliance_tag),
  plain('pii_detected', 'boolean', (row) => row.event.pii_detected),
  // Arrays of arrays have to be rectangular, so each list travels as text.
  { ...text('pii_types', (row) => toTextArray(row.event.pii_types)), select: 'pii_types::text[]' },
  plain('counts_as_request', 'boolean', (row) => row.event.counts_as_request),
  plain('lineage_hash', 'text', (row) => row.lineageHash),
  // Canonical JSON has no raw line feeds, but hundreds of quotes that an array literal would have to escape.
  {
    name: 'payload',
    write: (rows) => rows.map((row) => row.payload).join('\n'),
    array: (parameter) => `string_to_array(${parameter}, E'\\n')`,
  },
  nullable('outcome', 'text', (row) => row.event.outcome),
  plain('http_status', 'smallint', (row) => row.event.http_status ?? 'NULL'),
  nullable('failure', 'text', (row) => row.event.failure),
  nullable('request_id', 'text', (row) => row.event.request_id),
  nullable('provider_request_id', 'text', (row) => row.event.provider_request_id),
  nullable('pii_scan', 'text', (row) => row.event.pii_scan),
  json('pii_findings'),
  json('decision'),
  json('tools'),
  json('asked'),
];

const names = columns.map(({ name }) => `"${name}"`).join(', ');
const selected = columns.map(({ name, select }) => select ?? `"${name}"`).join(', ');
const arrays = columns.map(({ array }, index) => array(`$${index + 1}`)).join(', ');
const statement = `INSERT INTO events (${names}) SELECT ${selected} FROM unnest(${arrays}) AS linked (${names})`;

/** One plan whatever their number, and no limit on parameters. */
export async function insertEvents(client: ClientBase, rows: readonly RecordableLink[]): Promise<void> {
  await client.query({ name: 'insert-events', text: statement, values: columns.map(({ write }) => write(rows)) });
}
