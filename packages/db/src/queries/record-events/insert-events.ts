import { nanoToDecimal } from '@agp/core/pricing';
import type { ClientBase } from 'pg';
import type { RecordableLink } from './recordable-event.ts';
import { toArrayLiteral } from './to-array-literal.ts';

interface Column {
  name: string;
  /** What one element of the parameter's array is. */
  type: string;
  read: (row: RecordableLink) => unknown;
}

const columns: readonly Column[] = [
  { name: 'id', type: 'uuid', read: (row) => row.id },
  { name: 'session_id', type: 'text', read: (row) => row.event.session_id },
  { name: 'seq', type: 'bigint', read: (row) => row.seq },
  { name: 'agent_id', type: 'uuid', read: (row) => row.agentId },
  { name: 'timestamp', type: 'timestamptz', read: (row) => row.event.timestamp },
  { name: 'direction', type: 'text', read: (row) => row.event.direction },
  { name: 'model', type: 'text', read: (row) => row.event.model },
  { name: 'provider', type: 'text', read: (row) => row.event.provider },
  { name: 'prompt_tokens', type: 'bigint', read: (row) => row.event.prompt_tokens },
  { name: 'completion_tokens', type: 'bigint', read: (row) => row.event.completion_tokens },
  { name: 'total_tokens', type: 'bigint', read: (row) => row.event.total_tokens },
  { name: 'cost_usd', type: 'numeric', read: (row) => nanoToDecimal(row.event.cost_nano_usd) },
  { name: 'compliance_tag', type: 'text', read: (row) => row.event.compliance_tag },
  { name: 'pii_detected', type: 'boolean', read: (row) => row.event.pii_detected },
  // An array of arrays would have to be rectangular: each list travels as text.
  { name: 'pii_types', type: 'text', read: (row) => toArrayLiteral(row.event.pii_types) },
  { name: 'counts_as_request', type: 'boolean', read: (row) => row.event.counts_as_request },
  { name: 'lineage_hash', type: 'text', read: (row) => row.lineageHash },
  { name: 'payload', type: 'text', read: (row) => row.payload },
];

const names = columns.map(({ name }) => `"${name}"`).join(', ');
const selected = names.replace('"pii_types"', '"pii_types"::text[]');
const parameters = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
const text = `INSERT INTO events (${names}) SELECT ${selected} FROM unnest(${parameters}) AS linked (${names})`;

/** Inserts linked events; one plan whatever their number, and no limit on parameters. */
export async function insertEvents(client: ClientBase, rows: readonly RecordableLink[]): Promise<void> {
  await client.query({ name: 'insert-events', text, values: columns.map(({ read }) => rows.map(read)) });
}
