import type { BilledProvider, GapCause } from '@agp/core/contracts';
import type { ColumnType } from 'kysely';
import type { Money, Timestamp } from './column-types.ts';

export interface BillTables {
  /** What was billed and recorded when the bill was read last; the causes are those of the gap. */
  billed_days: Record<'recorded_usd' | 'billed_usd' | `${GapCause}_usd`, Money> & {
    provider: BilledProvider;
    day: ColumnType<string, string, string>;
    model: string;
  };
  bill_reads: {
    provider: BilledProvider;
    tried_at: Timestamp;
    read_at: Timestamp | null;
    /** Why it could not be read the last time. */
    error: string | null;
  };
}
