import type { GrantedRole } from '../src/roles/privileges.ts';

/** An id that nothing has. */
export const uuid = '01890000-0000-7000-8000-000000000000';

/** Nobody but the migrator may do these, whoever it is. */
export const refusedToAll = [
  'CREATE TABLE public.mine ()',
  'CREATE TABLE reporting.mine ()',
  'CREATE TEMPORARY TABLE mine ()',
  'CREATE SCHEMA mine',
  'CREATE ROLE mine',
  'CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql RETURN 1',
  'DROP TABLE public.events',
  'DROP VIEW reporting.agents',
  'ALTER TABLE public.events ADD COLUMN mine int',
  'ALTER TABLE public.audit_log DISABLE TRIGGER ALL',
  'TRUNCATE public.events',
  'TRUNCATE public.audit_log',
  'LOCK TABLE public.events IN ACCESS EXCLUSIVE MODE',
  'UPDATE public.events SET cost_usd = 0',
  'DELETE FROM public.events',
  'SELECT * FROM public.events_default',
  'INSERT INTO public.events_default SELECT * FROM public.events_default',
  'UPDATE public.events_default SET cost_usd = 0',
  'DELETE FROM public.events_default',
  'UPDATE public.audit_log SET payload = payload',
  'DELETE FROM public.audit_log',
  'DELETE FROM public.audit_head',
  'DELETE FROM public.agents',
  'UPDATE public.sessions SET agent_id = agent_id',
  'DELETE FROM public.sessions',
  'DELETE FROM public.lineage_heads',
  'DELETE FROM public.quarantine',
  'DELETE FROM public.daily_usage',
  'DELETE FROM public.hourly_usage',
  'DELETE FROM public.agent_usage',
  'INSERT INTO public.control DEFAULT VALUES',
  'INSERT INTO public.kysely_migration VALUES ($$9999$$, $$now$$)',
  'DELETE FROM public.kysely_migration',
  'SET ROLE agp_migrator',
  "COPY (SELECT 1) TO PROGRAM 'true'",
  "SELECT pg_read_file('PG_VERSION')",
  'SELECT lo_create(0)',
  'SELECT lo_creat(-1)',
  "SELECT lo_from_bytea(0, 'x')",
  "SELECT lo_import('PG_VERSION')",
];

const insertEvent = `INSERT INTO events (
    id, session_id, seq, agent_id, "timestamp", direction, model, provider, prompt_tokens, completion_tokens, total_tokens,
    cost_usd, compliance_tag, pii_detected, pii_types, counts_as_request, lineage_hash, payload
  ) VALUES ('${uuid}', 'ses_forged', 0, '${uuid}', now(), 'response', 'm', 'p', 0, 0, 0, 0, 't', false, '{}', true, 'h', '{}')`;

export const refusedTo: Record<GrantedRole, string[]> = {
  proxy: [
    insertEvent,
    'SELECT payload FROM events',
    'SELECT * FROM events',
    "UPDATE agents SET status = 'active'",
    'UPDATE agents SET daily_cap_usd = NULL',
    'UPDATE agents SET metadata = metadata',
    `INSERT INTO agents (id, name, source_ip, status) VALUES ('${uuid}', 'n', 's', 'active')`,
    'UPDATE control SET paused = false',
    'SELECT id FROM api_keys',
    `INSERT INTO agent_tokens (id, agent_name, secret_sha256) VALUES ('${uuid}', 'n', '')`,
    'UPDATE agent_tokens SET expires_at = NULL',
    'DELETE FROM agent_tokens',
    'DELETE FROM claimed_names',
    'UPDATE daily_usage SET cost_usd = 0',
    'UPDATE unrecorded_spend SET cost_usd = 0',
    'DELETE FROM unrecorded_spend',
    'DELETE FROM refusal_counts',
    'DELETE FROM claimed_bills',
    'SELECT * FROM audit_log',
    "INSERT INTO audit_log VALUES (0, gen_random_uuid(), now(), 'a', NULL, '{}', 'h')",
    'UPDATE audit_head SET length = 0',
    'SELECT hash FROM lineage_heads',
    'SELECT bytes FROM quarantine',
    'SELECT * FROM reporting.agents',
  ],
  writer: [
    'SELECT payload FROM events',
    insertEvent.replace('payload\n', 'payload, recorded_at\n').replace("'{}')", "'{}', now())"),
    'SELECT * FROM agents',
    "UPDATE agents SET status = 'active'",
    `INSERT INTO agents (id, name, source_ip) VALUES ('${uuid}', 'n', 's')`,
    'SELECT * FROM control',
    'UPDATE control SET paused = false',
    'SELECT id FROM api_keys',
    'SELECT id FROM agent_tokens',
    'UPDATE quarantine SET bytes = bytes',
    'SELECT payload FROM audit_log',
    "UPDATE refusal_counts SET reason = ''",
    'SELECT * FROM reporting.agents',
  ],
  management: [
    insertEvent,
    'UPDATE agents SET name = name',
    `INSERT INTO agents (id, name, source_ip) VALUES ('${uuid}', 'n', 's')`,
    'SELECT secret_sha256 FROM agent_tokens',
    'UPDATE agent_tokens SET expires_at = NULL',
    'UPDATE api_keys SET name = name',
    'UPDATE lineage_heads SET length = 0',
    'UPDATE daily_usage SET cost_usd = 0',
    'UPDATE daily_global_spend SET cost_usd = 0',
    'DELETE FROM unrecorded_spend',
    'UPDATE refusal_counts SET count = 0',
    'DELETE FROM refusal_counts',
    'SELECT bytes FROM quarantine',
    'SELECT * FROM reporting.agents',
  ],
  grafana: [
    ...['agents', 'events', 'sessions', 'api_keys', 'agent_tokens', 'audit_log', 'quarantine', 'kysely_migration'].map(
      (table) => `SELECT FROM public.${table}`,
    ),
  ],
};

/** One that each must be able to do, so that a refusal above is that of the statement and not of the connection. */
export const allowedTo: Record<GrantedRole, string[]> = {
  proxy: [
    'SELECT id FROM events LIMIT 1',
    `INSERT INTO agents (id, name, source_ip) VALUES ('${uuid}', 'n', 's')`,
    'SELECT name FROM kysely_migration',
  ],
  writer: [insertEvent, 'SELECT * FROM refusal_counts FOR UPDATE', 'SELECT * FROM audit_head FOR UPDATE'],
  management: ['SELECT * FROM audit_log', "UPDATE agents SET status = 'blocked'", 'SELECT * FROM control FOR UPDATE'],
  grafana: [
    'SELECT * FROM reporting.agents',
    'SELECT * FROM reporting.recording_health',
    'SELECT * FROM reporting.events_between(now(), now())',
  ],
};
