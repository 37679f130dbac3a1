import type { AgentStatus, Event, Team } from '@agp/core/contracts';
import type { Decision, EventMessage, FieldsWhere } from '@agp/core/events';
import type { ColumnType, Generated } from 'kysely';
import type { AlertTables } from './alert-tables.ts';
import type { BillTables } from './bill-tables.ts';
import type { BudgetTables } from './budget-tables.ts';
import type { DefaultTimestamp, Json, Money, Timestamp } from './column-types.ts';
import type { IdentityTables } from './identity-tables.ts';
import type { BucketColumn } from './usage-columns.ts';

type StoredName = Exclude<
  FieldsWhere<{ column: string }>,
  FieldsWhere<{ column: 'jsonb' }> | keyof Event | 'cost_nano_usd'
>;

/** An event as it is shown, and what is kept with it. */
type EventsTable = Omit<Event, 'timestamp' | 'cost_usd'> & {
  [Name in StoredName]: Exclude<EventMessage[Name], undefined>;
} & { [Name in FieldsWhere<{ column: 'jsonb' }>]: Json<NonNullable<EventMessage[Name]>> } & {
  timestamp: Timestamp;
  cost_usd: Money;
  seq: number;
  recorded_at: DefaultTimestamp;
  payload: string;
};

interface UsageSums {
  agent_id: string;
  model: string;
  prompt_tokens: number;
  completion_tokens: number;
  cost_usd: Money;
  event_count: number;
  request_count: number;
}

type Results = Record<'failed_count' | BucketColumn, Generated<number>>;

interface UsageTimes {
  first_event_at: Timestamp;
  last_event_at: Timestamp;
}

/** What a request that went out may have cost. */
interface ForwardedSpend {
  event_id: string;
  day: string;
  agent_id: string;
  cost_usd: Money;
  session_id: string | null;
  provider: string | null;
  model: string | null;
  /** Amounts by the scopes of budgets, in steps of their units. */
  charges: Json<Record<string, number> | null>;
}

export interface Schema extends AlertTables, BillTables, BudgetTables, IdentityTables {
  agents: {
    id: string;
    name: string;
    status: Generated<AgentStatus>;
    metadata: ColumnType<Record<string, unknown>, string | undefined, string>;
    source_ip: string;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    daily_cap_usd: ColumnType<number | null, string | null | undefined, string | null>;
    warn_only: Generated<boolean>;
    requests_per_minute: number | null;
    cap_changed_at: Timestamp | null;
    blocked_until: Timestamp | null;
    /** Kept by a trigger. */
    installation_stop: 'blocked' | 'retired' | null;
  };
  agent_last_seen: {
    agent_id: string;
    last_event_id: string;
    source_ip: string;
  };
  sessions: {
    id: string;
    agent_id: string;
    /** As its caller sent it; null if that is the id, or the caller sent none. */
    name: string | null;
    started_at: Timestamp | null;
    ended_at: Timestamp | null;
    event_count: Generated<number>;
    total_tokens: Generated<number>;
    total_cost_usd: Money;
    compliance_tag: string | null;
    pii_detected: Generated<boolean>;
    last_event_id: string | null;
  };
  lineage_heads: {
    session_id: string;
    length: number;
    hash: string;
  };
  /** A run of links that retention removed from a chain, and the hash of the last. */
  lineage_anchors: {
    session_id: string;
    first_seq: number;
    last_seq: number;
    lineage_hash: string;
    /** UUID of the removal that made it. */
    removal: Generated<string>;
  };
  events: EventsTable;
  daily_usage: UsageSums & Results & UsageTimes & { day: ColumnType<string, string, string> };
  hourly_usage: UsageSums & Results & { hour: Timestamp; provider: string; compliance_tag: string };
  /** Of events with labels; `hourly_usage` has those without. */
  hourly_labelled: Schema['hourly_usage'] & { label_set: string };
  label_sets: { id: string; labels: Json<Record<string, string>> };
  agent_usage: UsageSums & UsageTimes;
  /** An event with several kinds counts for each. */
  hourly_findings: {
    hour: Timestamp;
    agent_id: string;
    kind: string;
    event_count: number;
    last_event_at: Timestamp;
  };
  /** A call counts once for each rule and action, and once for each policy, under an empty rule as `refuse` or `note`. */
  hourly_decisions: {
    hour: Timestamp;
    policy: string;
    rule: string;
    action: string;
    shard: number;
    event_count: number;
  };
  /** The audit log's entries before `refusal_fill.next_seq`, by the hour. */
  hourly_refusals: {
    hour: Timestamp;
    agent_id: string | null;
    reason: string;
    refusal_count: number;
  };
  refusal_fill: {
    id: Generated<boolean>;
    next_seq: number;
  };
  provider_keys: {
    provider: string;
    fingerprint: string;
    source: string;
    proxy: string;
    first_seen_at: Generated<Timestamp>;
    last_seen_at: Generated<Timestamp>;
    last_used_at: Timestamp | null;
  };
  unpriced_usage: {
    provider: string;
    model: string;
    request_count: number;
    prompt_tokens: number;
    completion_tokens: number;
    first_event_at: Timestamp;
    last_event_at: Timestamp;
  };
  doubtful_usage: {
    event_id: string;
    agent_id: string;
    session_id: string;
    provider: string;
    model: string;
    reason: string;
    claimed_prompt_tokens: number;
    claimed_completion_tokens: number;
    claimed_cost_usd: Money;
    cost_usd: Money;
    occurred_at: Timestamp;
  };
  api_keys: {
    id: string;
    name: string;
    secret_sha256: Buffer;
    scopes: string[];
    created_at: DefaultTimestamp;
    expires_at: Timestamp | null;
    last_used_at: Timestamp | null;
    previous_sha256: Buffer | null;
    previous_expires_at: Timestamp | null;
    rotated_at: Timestamp | null;
    match: Json<Team>;
  };
  console_sessions: {
    id: string;
    token_sha256: Buffer;
    key_sha256: Buffer | null;
    issuer: string | null;
    subject: string | null;
    name: string;
    role: string;
    source_ip: string;
    created_at: DefaultTimestamp;
    last_used_at: DefaultTimestamp;
    expires_at: Timestamp;
    match: Json<Team>;
  };
  console_codes: {
    code_sha256: Buffer;
    key_sha256: Buffer;
    expires_at: Timestamp;
  };
  quarantine: {
    id: Generated<number>;
    message_id: string | null;
    received_at: DefaultTimestamp;
    code: string;
    reason: string;
    bytes: Buffer;
    replayed_at: Timestamp | null;
  };
  control: {
    id: Generated<boolean>;
    paused: Generated<boolean>;
    global_cap_usd: ColumnType<number | null, string | null, string | null>;
    global_warn_only: Generated<boolean>;
    default_agent_cap_usd: ColumnType<number | null, string | null, string | null>;
    default_warn_only: Generated<boolean>;
    default_requests_per_minute: number | null;
    policy_version: Generated<number>;
    budget_version: Generated<number>;
    identity_version: Generated<number>;
  };
  /** One without an owner is everybody's. */
  console_views: {
    id: string;
    owner: string | null;
    screen: string;
    name: string;
    query: string;
    created_at: DefaultTimestamp;
  };
  policies: {
    id: string;
    name: string;
    version: Generated<number>;
    policy: ColumnType<unknown, string, string>;
    /** As it was written; null if it was JSON. */
    text: string | null;
    created_at: DefaultTimestamp;
    updated_at: DefaultTimestamp;
    /** Null if it is of the whole installation. */
    team: ColumnType<Team | null, never, never>;
  };
  daily_global_spend: {
    day: string;
    shard: number;
    cost_usd: Money;
  };
  unrecorded_spend: ForwardedSpend & { reason: string; noted_at: ColumnType<Date, never, never> };
  forwarded_requests: ForwardedSpend & { seen_at: ColumnType<Date, never, never> };
  audit_log: {
    seq: number;
    id: string;
    timestamp: Timestamp;
    action: string;
    agent_id: string | null;
    payload: string;
    lineage_hash: string;
    team: ColumnType<Team | null, never, never>;
  };
  audit_head: {
    id: Generated<boolean>;
    length: number;
    hash: string;
  };
  refusal_counts: {
    minute: Timestamp;
    agent_id: string | null;
    reason: string;
    count: number;
    /** The latest one's address and time. */
    source_ip: string;
    refused_at: Timestamp;
  };
  /** The counted ones; the id holds the time. */
  refused_requests: {
    id: string;
    agent_id: string | null;
    reason: string;
    request_id: string;
    source_ip: string;
    provider: string | null;
    path: string | null;
    /** The policy, its rule and why, if one refused it. */
    rule: string | null;
    /** All policies and rules that did. */
    decision: Json<Pick<Decision, 'policy' | 'rule'>[]>;
    /** The text of its refusal, if that says more than the reason. */
    told: string | null;
    /** More than one if the row stands for alike ones; it is the first of them. */
    count: Generated<number>;
  };
}
