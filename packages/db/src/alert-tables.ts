import type { KindName, MonthlyCosts, Occasion, Severity } from '@agp/alerts';
import type { ColumnType, Generated } from 'kysely';
import type { DefaultTimestamp, Json, Timestamp } from './column-types.ts';

interface Named {
  id: Generated<string>;
  name: string;
  version: Generated<number>;
  created_at: DefaultTimestamp;
  updated_at: ColumnType<Date, never, unknown>;
}

export interface AlertTables {
  notification_rules: Named & {
    rule: Json<Record<string, unknown>>;
    /** As it was written; null if it was JSON. */
    text: string | null;
  };
  notification_targets: Named & {
    /** Without what is secret. */
    target: Json<Record<string, unknown>>;
    secrets: Json<Record<string, string>>;
    disabled_at: Timestamp | null;
    disabled_because: string | null;
    fed_at: DefaultTimestamp;
    /** The last month whose costs it was told or did not ask for, such as `2026-10`; null before the first look. */
    reported_month: string | null;
    /** When a process began to sum up a month for it. */
    report_tried_at: Timestamp | null;
  };
  alerts: {
    id: string;
    rule_id: string;
    rule: string;
    kind: KindName;
    severity: Severity;
    /** What it is of, within its rule. */
    subject: string;
    window: string;
    title: string;
    detail: string;
    path: string;
    agent_id: string | null;
    /** How many agents it is of. */
    reach: Generated<number>;
    /** All of them; null if that is not kept. */
    agent_ids: string[] | null;
    opened_at: DefaultTimestamp;
    /** When its cause was there last. */
    seen_at: DefaultTimestamp;
    acknowledged_at: Timestamp | null;
    acknowledged_by: string | null;
    resolved_at: Timestamp | null;
    changed_at: ColumnType<Date, never, unknown>;
  };
  alert_deliveries: {
    id: string;
    seq: ColumnType<number, never, never>;
    target_id: string;
    /** Null for a test or a report. */
    alert_id: string | null;
    /** Messages of one line are delivered in their order. */
    line: string;
    occasion: Occasion;
    /** 0 goes first: the place of its alert's severity. */
    urgency: Generated<number>;
    attempts: Generated<number>;
    /** When it is tried, or tried again; past it nobody else has it in hand. */
    next_at: DefaultTimestamp;
    created_at: DefaultTimestamp;
    delivered_at: Timestamp | null;
    dead_at: Timestamp | null;
    error: string | null;
    report: Json<MonthlyCosts>;
  };
  seen_names: {
    kind: string;
    name: string;
    agent_id: string | null;
    seen_at: DefaultTimestamp;
    is_told: Generated<boolean>;
  };
  alert_watch: {
    id: Generated<boolean>;
    /** Entries of the audit log below it were looked at. */
    audit_seq: number;
    looked_at: Timestamp;
    /** Names that were first seen before it are not told. */
    learned_at: Timestamp;
    /** When somebody last began to verify chains. */
    chains_at: Timestamp;
    audit_verified_at: Timestamp;
    /** The session whose chain was verified last. */
    chain_after: string;
  };
}
