import type { Team } from '@agp/core/contracts';
import type { ColumnType, Generated } from 'kysely';
import type { DefaultTimestamp, Json, Money, Timestamp } from './column-types.ts';

export interface BudgetTables {
  budgets: {
    id: string;
    name: string;
    version: Generated<number>;
    budget: Json<Record<string, unknown>>;
    /** As it was written; null if it was JSON. */
    text: string | null;
    /** Raised whenever what it counts is another. */
    epoch: Generated<number>;
    /** What requests are held to; null until what it counts is summed up. */
    active: Json<Record<string, unknown> | null>;
    active_epoch: number | null;
    created_at: DefaultTimestamp;
    updated_at: ColumnType<Date, never, unknown>;
    /** Null if it is of the whole installation. */
    team: ColumnType<Team | null, never, never>;
  };
  budget_spend: {
    budget_id: string;
    epoch: number;
    /** The agent, session or label's value that it is split by; empty if it is not. */
    key: string;
    starts_at: Timestamp;
    shard: number;
    cost_usd: Money;
    tokens: number;
    requests: number;
  };
}
