import { insertedColumns } from '../record-events/insert-events.ts';
import { hourlySums } from '../usage-columns.ts';

/** Roles belong to a whole server, so their names begin with its own. */
export const roleNames = {
  migrator: 'agp_migrator',
  proxy: 'agp_proxy',
  writer: 'agp_writer',
  management: 'agp_management',
  grafana: 'agp_grafana',
} as const;

export type RoleKey = keyof typeof roleNames;

/** All but the owner of the schema, who needs no grants. */
export type GrantedRole = Exclude<RoleKey, 'migrator'>;

export type Columns = readonly string[] | 'all';

/** TRUNCATE, TRIGGER and REFERENCES are never granted. */
export interface TablePrivileges {
  select?: Columns;
  insert?: Columns;
  update?: readonly string[];
  delete?: true;
}

const columns = (names: string) => names.split(' ');

const ownSchema: TablePrivileges = { select: columns('name') };

/** Entries of the log can be added and its end moved; nobody changes or removes an entry. */
const auditing: Record<string, TablePrivileges> = {
  audit_head: { select: 'all', update: columns('length hash') },
};

/**
 * Exactly what the queries of each service (packages/db/src/queries) need. Partitions of `events` are reached only through `events`. Row
 * locks need UPDATE of some column. A privilege that only the previous version uses stays for one release.
 */
export const tablePrivileges: Record<'proxy' | 'writer' | 'management', Record<string, TablePrivileges>> = {
  proxy: {
    kysely_migration: ownSchema,
    // It registers agents and never changes one: neither status nor caps.
    agents: {
      select: columns('id name status metadata daily_cap_usd warn_only requests_per_minute'),
      insert: columns('id name source_ip metadata daily_cap_usd warn_only requests_per_minute'),
    },
    control: { select: 'all' },
    policies: { select: columns('name version policy') },
    budgets: { select: columns('id epoch budget active active_epoch name') },
    budget_spend: { select: 'all' },
    identities: { select: columns('id name version identity') },
    // A workload's first request claims its name.
    claimed_names: {
      select: columns('name identity_id workload agent_id'),
      insert: columns('name identity_id workload'),
      update: columns('workload'),
    },
    agent_tokens: { select: columns('id agent_name secret_sha256 expires_at') },
    // Those that have ended go.
    exchanged_tokens: {
      select: 'all',
      insert: columns('id agent_name secret_sha256 identity_id identity_version expires_at'),
      delete: true,
    },
    sessions: { select: columns('id agent_id'), insert: columns('id agent_id name') },
    claimed_bills: {
      select: 'all',
      insert: columns('provider bill event_id'),
      update: columns('event_id claimed_at'),
    },
    // To tell a stopped agent since when, by whom and why.
    audit_log: { select: columns('seq action agent_id payload') },
    // To see whether an event is recorded.
    events: { select: columns('id') },
    daily_usage: { select: columns('day agent_id cost_usd') },
    daily_global_spend: { select: columns('day cost_usd') },
    unrecorded_spend: { select: 'all', insert: 'all' },
    forwarded_requests: { select: columns('event_id'), insert: 'all', update: columns('seen_at') },
    provider_keys: {
      select: 'all',
      insert: columns('provider fingerprint source proxy last_used_at'),
      update: columns('source proxy last_seen_at last_used_at'),
    },
    refusal_counts: { select: 'all', insert: 'all', update: columns('count source_ip refused_at') },
    // A row that stands for many is counted on; an agent reads why its own were refused.
    refused_requests: {
      select: columns('id agent_id reason rule count'),
      ...{ insert: 'all', update: columns('count') },
    },
    hourly_decisions: { select: 'all', insert: 'all', update: columns('event_count') },
    // To count an agent's rows of a day.
    doubtful_usage: { select: columns('event_id agent_id occurred_at'), insert: 'all' },
  },
  writer: {
    kysely_migration: ownSchema,
    // Budgets are of agents by their names.
    agents: { select: columns('id name') },
    control: { select: columns('budget_version') },
    budgets: { select: columns('id epoch budget active active_epoch name') },
    budget_spend: { select: 'all', insert: 'all', update: columns('cost_usd tokens requests') },
    // Without `recorded_at`, which Postgres sets.
    events: {
      select: columns('id lineage_hash'),
      insert: insertedColumns,
    },
    lineage_heads: { select: 'all', insert: 'all', update: columns('length hash') },
    // Without `agent_id`: a session keeps its agent.
    sessions: {
      select: 'all',
      insert: 'all',
      update: columns(
        'started_at ended_at event_count total_tokens total_cost_usd compliance_tag pii_detected last_event_id',
      ),
    },
    agent_last_seen: { select: 'all', insert: 'all', update: columns('last_event_id source_ip') },
    daily_usage: {
      select: 'all',
      insert: 'all',
      update: [...hourlySums, 'first_event_at', 'last_event_at'],
    },
    hourly_usage: { select: 'all', insert: 'all', update: hourlySums },
    hourly_labelled: { select: 'all', insert: 'all', update: hourlySums },
    label_sets: { select: 'all', insert: 'all' },
    agent_usage: {
      select: 'all',
      insert: 'all',
      update: columns(
        'prompt_tokens completion_tokens cost_usd event_count request_count first_event_at last_event_at',
      ),
    },
    hourly_findings: { select: 'all', insert: 'all', update: columns('event_count last_event_at') },
    hourly_decisions: { select: 'all', insert: 'all', update: columns('event_count') },
    unpriced_usage: {
      select: 'all',
      insert: 'all',
      update: columns('request_count prompt_tokens completion_tokens first_event_at last_event_at'),
    },
    daily_global_spend: { select: 'all', insert: 'all', update: columns('cost_usd') },
    unrecorded_spend: { select: columns('event_id'), insert: 'all', delete: true },
    forwarded_requests: { select: 'all', delete: true },
    seen_names: { select: columns('kind name agent_id'), insert: columns('kind name agent_id') },
    quarantine: {
      select: 'all',
      insert: columns('message_id code reason bytes'),
      update: columns('replayed_at'),
    },
    // Counts move into the log; UPDATE is for the row locks.
    refusal_counts: { select: 'all', update: columns('count'), delete: true },
    audit_log: { insert: 'all' },
    ...auditing,
  },
  management: {
    kysely_migration: ownSchema,
    agents: {
      select: 'all',
      update: columns(
        'status blocked_until metadata updated_at daily_cap_usd cap_changed_at warn_only requests_per_minute',
      ),
    },
    agent_last_seen: { select: 'all' },
    sessions: { select: 'all' },
    lineage_heads: { select: 'all' },
    lineage_anchors: { select: 'all' },
    events: { select: 'all' },
    daily_usage: { select: 'all' },
    hourly_usage: { select: 'all' },
    hourly_labelled: { select: 'all' },
    label_sets: { select: 'all' },
    hourly_findings: { select: 'all' },
    hourly_decisions: { select: 'all' },
    agent_usage: { select: 'all' },
    daily_global_spend: { select: 'all' },
    // A new budget counts what is not recorded too.
    unrecorded_spend: { select: 'all', update: columns('charges') },
    unpriced_usage: { select: 'all' },
    doubtful_usage: { select: 'all' },
    claimed_bills: { select: columns('provider bill event_id') },
    // The days that a bill is read of are written anew.
    billed_days: { select: 'all', insert: 'all', delete: true },
    bill_reads: { select: 'all', insert: columns('provider tried_at'), update: columns('tried_at read_at error') },
    provider_keys: { select: 'all' },
    refusal_counts: { select: 'all' },
    hourly_refusals: { select: 'all' },
    refusal_fill: { select: 'all' },
    refused_requests: { select: 'all' },
    control: {
      select: 'all',
      update: columns(
        'paused global_cap_usd global_warn_only default_agent_cap_usd default_warn_only default_requests_per_minute policy_version budget_version identity_version',
      ),
    },
    budgets: {
      select: 'all',
      insert: columns('id name budget text'),
      update: columns('name version budget text epoch active active_epoch updated_at'),
      delete: true,
    },
    budget_spend: { select: 'all', insert: 'all', update: columns('cost_usd tokens requests') },
    policies: {
      select: 'all',
      insert: columns('id name policy text'),
      update: columns('name version policy text updated_at'),
      delete: true,
    },
    notification_rules: {
      select: 'all',
      insert: columns('id name rule text'),
      update: columns('name version rule text updated_at'),
      delete: true,
    },
    notification_targets: {
      select: 'all',
      insert: columns('id name target secrets'),
      update: columns(
        'name version target secrets disabled_at disabled_because fed_at reported_month report_tried_at updated_at',
      ),
      delete: true,
    },
    alerts: {
      select: 'all',
      insert: 'all',
      update: columns(
        'title detail path agent_id agent_ids reach seen_at acknowledged_at acknowledged_by resolved_at changed_at',
      ),
      delete: true,
    },
    alert_deliveries: {
      select: 'all',
      insert: columns('id target_id alert_id line occasion urgency report'),
      update: columns('attempts next_at delivered_at dead_at error'),
      delete: true,
    },
    seen_names: { select: 'all', update: columns('is_told') },
    alert_watch: { select: 'all', update: columns('audit_seq looked_at chains_at audit_verified_at chain_after') },
    identities: {
      select: 'all',
      insert: columns('id name identity text'),
      update: columns('name version identity text updated_at'),
      delete: true,
    },
    claimed_names: {
      select: 'all',
      insert: columns('name identity_id workload agent_id'),
      update: columns('name identity_id workload agent_id'),
      delete: true,
    },
    // Without SELECT of the digest, which it never reads again.
    agent_tokens: {
      select: columns('id agent_name created_at expires_at'),
      insert: columns('id agent_name secret_sha256 expires_at'),
      delete: true,
    },
    exchanged_tokens: {
      select: columns('id agent_name identity_id identity_version created_at expires_at'),
      delete: true,
    },
    api_keys: {
      select: 'all',
      insert: columns('id name secret_sha256 scopes expires_at match'),
      update: columns('id secret_sha256 scopes expires_at rotated_at last_used_at previous_sha256 previous_expires_at'),
      delete: true,
    },
    console_sessions: { select: 'all', insert: 'all', update: columns('last_used_at'), delete: true },
    console_codes: { select: 'all', insert: 'all', delete: true },
    console_views: { select: 'all', insert: columns('id owner screen name query'), delete: true },
    audit_log: { select: 'all', insert: 'all' },
    ...auditing,
  },
};

/** Views of that schema that services read for their metrics and the status. */
export const viewPrivileges: Partial<Record<GrantedRole, readonly string[]>> = {
  writer: ['recording_health'],
  management: ['budgets_today', 'recording_health'],
};

/** Against mistakes in queries. A client can change them: it is its privileges that refuse what it must not do. */
export const roleSettings: Partial<Record<RoleKey, Record<string, string>>> = {
  grafana: {
    default_transaction_read_only: 'on',
    // Compiling a panel's query takes longer than running it.
    jit: 'off',
    statement_timeout: '30s',
    idle_in_transaction_session_timeout: '60s',
  },
};
