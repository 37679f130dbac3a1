import { sql } from 'kysely';

export const auditTables = [
  // One chain for the whole log; each row's hash covers the payload's exact bytes and the row before.
  sql`
    CREATE TABLE audit_log (
      seq           bigint PRIMARY KEY,
      id            uuid NOT NULL UNIQUE,
      "timestamp"   timestamptz(3) NOT NULL,
      action        text NOT NULL,
      agent_id      uuid,
      payload       text NOT NULL,
      lineage_hash  text NOT NULL
    )`,
  sql`CREATE INDEX audit_log_by_time ON audit_log ("timestamp", seq)`,
  sql`CREATE INDEX audit_log_by_agent ON audit_log (agent_id, "timestamp", seq) WHERE agent_id IS NOT NULL`,
  sql`CREATE INDEX audit_log_by_action ON audit_log (action, "timestamp", seq)`,
  sql`CREATE INDEX audit_log_by_agent_and_seq ON audit_log (agent_id, seq) WHERE agent_id IS NOT NULL`,
  sql`CREATE INDEX audit_log_by_action_and_seq ON audit_log (action, seq)`,
  sql`
    CREATE TABLE audit_head (
      id      boolean PRIMARY KEY DEFAULT true CHECK (id),
      length  bigint NOT NULL,
      hash    text NOT NULL
    )`,
  sql`INSERT INTO audit_head (length, hash) VALUES (0, 'genesis')`,
  // Refused requests of the running minute, counted by all proxies; a minute that is over moves into the log.
  sql`
    CREATE TABLE refusal_counts (
      minute      timestamptz NOT NULL,
      agent_id    uuid,
      reason      text NOT NULL,
      count       bigint NOT NULL CONSTRAINT refusal_counts_adds CHECK (count > 0),
      source_ip   text NOT NULL,
      refused_at  timestamptz NOT NULL,
      UNIQUE NULLS NOT DISTINCT (minute, agent_id, reason)
    )`,
  // The first of each agent, reason and minute.
  sql`
    CREATE TABLE refused_requests (
      id          uuid PRIMARY KEY,
      agent_id    uuid,
      reason      text NOT NULL,
      request_id  text COLLATE "C" NOT NULL,
      source_ip   text NOT NULL,
      provider    text,
      path        text
    )`,
  sql`CREATE INDEX refused_requests_by_agent ON refused_requests (agent_id, id)`,
  sql`CREATE INDEX refused_requests_by_reason ON refused_requests (reason, id)`,
  sql`CREATE INDEX refused_requests_by_request ON refused_requests (request_id, id)`,
  // Reading the JSON of a month takes too long.
  sql`
    CREATE TABLE hourly_refusals (
      hour           timestamptz NOT NULL,
      agent_id       uuid,
      reason         text NOT NULL,
      refusal_count  bigint NOT NULL,
      UNIQUE NULLS NOT DISTINCT (hour, agent_id, reason)
    )`,
  // Entries of the log from `next_seq` on are not in the hours yet.
  sql`
    CREATE TABLE refusal_fill (
      id        boolean PRIMARY KEY DEFAULT true CHECK (id),
      next_seq  bigint NOT NULL DEFAULT 0
    )`,
  sql`INSERT INTO refusal_fill DEFAULT VALUES`,
];
