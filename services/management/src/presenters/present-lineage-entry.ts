import type { LineageEntry } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { LineageRow } from '@agp/db';

/** A link of a chain with the text that its hash covers. */
export function presentLineageEntry(row: LineageRow): LineageEntry {
  return {
    seq: row.seq,
    event_id: toPublicId('evt', row.id),
    lineage_hash: row.lineage_hash,
    payload: row.payload,
  };
}
