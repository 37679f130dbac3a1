import { type Kysely, sql } from 'kysely';

const firstRules = [
  { name: 'agents-failing', on: 'failing' },
  { name: 'budgets', on: 'budget' },
  { name: 'daily-caps', on: 'cap' },
  { name: 'blocks-and-pauses', on: 'change', of: ['block', 'pause'] },
  { name: 'new-providers-and-servers', on: 'first_seen', of: ['provider', 'remote_mcp'] },
  { name: 'unknown-costs', on: 'cost' },
  { name: 'refusals', on: 'refusals' },
  { name: 'recording', on: 'recording' },
  { name: 'chains', on: 'chain' },
];

/** Rules, targets, alerts and what waits to be delivered; names of models, providers and tools that were seen. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const stored = (column: string) =>
    sql.raw(`
      id          uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      name        text NOT NULL UNIQUE,
      version     integer NOT NULL DEFAULT 1,
      ${column}   jsonb NOT NULL,
      created_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp()`);
  await sql`CREATE TABLE notification_rules (${stored('rule')})`.execute(db);
  await sql`
    CREATE TABLE notification_targets (
      ${stored('target')},
      secrets           jsonb NOT NULL,
      disabled_at       timestamptz(3),
      disabled_because  text,
      fed_at            timestamptz(3) NOT NULL DEFAULT '-infinity'
    )`.execute(db);
  // A window is where a budget's began, or when the alert came up: a cause that lasts is one alert.
  await sql`
    CREATE TABLE alerts (
      id               uuid PRIMARY KEY,
      rule_id          uuid NOT NULL,
      rule             text NOT NULL,
      kind             text NOT NULL,
      severity         text NOT NULL,
      subject          text NOT NULL,
      "window"         text NOT NULL,
      title            text NOT NULL,
      detail           text NOT NULL,
      path             text NOT NULL,
      agent_id         uuid,
      opened_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      seen_at          timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      acknowledged_at  timestamptz(3),
      acknowledged_by  text,
      resolved_at      timestamptz(3),
      changed_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      UNIQUE (rule_id, subject, "window")
    )`.execute(db);
  await sql`CREATE UNIQUE INDEX alerts_open ON alerts (rule_id, subject) WHERE resolved_at IS NULL`.execute(db);
  await sql`CREATE INDEX alerts_by_opening ON alerts (opened_at DESC, id)`.execute(db);
  await sql`CREATE INDEX alerts_by_change ON alerts (changed_at)`.execute(db);
  // A line is what keeps its order: a rule's alerts of one subject.
  await sql`
    CREATE TABLE alert_deliveries (
      id            uuid PRIMARY KEY,
      seq           bigint GENERATED ALWAYS AS IDENTITY,
      target_id     uuid NOT NULL,
      alert_id      uuid,
      line          text NOT NULL,
      occasion      text NOT NULL,
      attempts      integer NOT NULL DEFAULT 0,
      next_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      created_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      delivered_at  timestamptz(3),
      dead_at       timestamptz(3),
      error         text
    )`.execute(db);
  await sql`
    CREATE INDEX alert_deliveries_waiting ON alert_deliveries (target_id, line, seq)
      WHERE delivered_at IS NULL AND dead_at IS NULL`.execute(db);
  await sql`
    CREATE INDEX alert_deliveries_due ON alert_deliveries (target_id, next_at, seq)
      WHERE delivered_at IS NULL AND dead_at IS NULL`.execute(db);
  await sql`
    CREATE INDEX alert_deliveries_open ON alert_deliveries (target_id) WHERE delivered_at IS NULL`.execute(db);
  await sql`CREATE INDEX alert_deliveries_by_time ON alert_deliveries (seq DESC)`.execute(db);
  await sql`CREATE INDEX alert_deliveries_by_alert ON alert_deliveries (alert_id)`.execute(db);
  await sql`
    CREATE TABLE seen_names (
      kind      text NOT NULL,
      name      text COLLATE "C" NOT NULL,
      agent_id  uuid,
      seen_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      is_told   boolean NOT NULL DEFAULT false,
      PRIMARY KEY (kind, name)
    )`.execute(db);
  await sql`CREATE INDEX seen_names_to_tell ON seen_names (seen_at) WHERE NOT is_told`.execute(db);
  await sql`
    INSERT INTO seen_names (kind, name, is_told)
    SELECT 'agent', id::text, true FROM agents
    UNION ALL
    SELECT 'model', model, true FROM (SELECT DISTINCT model FROM agent_usage) AS used
    UNION ALL
    SELECT 'provider', provider, true FROM (SELECT DISTINCT provider FROM hourly_usage) AS used`.execute(db);
  // Who holds its one row looks for causes. Tools were not kept by name before: on an upgrade's first day all of them seem new.
  await sql`
    CREATE TABLE alert_watch (
      id                 boolean PRIMARY KEY DEFAULT true CHECK (id),
      audit_seq          bigint NOT NULL,
      looked_at          timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      learned_at         timestamptz(3) NOT NULL,
      chains_at          timestamptz(3) NOT NULL DEFAULT 'epoch',
      audit_verified_at  timestamptz(3) NOT NULL DEFAULT 'epoch',
      chain_after        text NOT NULL DEFAULT ''
    )`.execute(db);
  await sql`
    INSERT INTO alert_watch (audit_seq, learned_at)
    SELECT length, now() + CASE WHEN EXISTS (SELECT FROM agent_usage) THEN interval '1 day' ELSE '0' END
    FROM audit_head`.execute(db);
  await sql`
    INSERT INTO notification_rules (name, rule)
    SELECT rule->>'name', rule FROM jsonb_array_elements(${JSON.stringify(firstRules)}::jsonb) AS each (rule)`.execute(
    db,
  );
  await sql`
    CREATE VIEW reporting.alerts AS
    SELECT reporting.public_id('alr', id) AS alert_id, rule, kind, severity, title, detail,
      reporting.public_id('agt', agent_id) AS agent_id, opened_at, acknowledged_at, acknowledged_by, resolved_at
    FROM alerts`.execute(db);
}
