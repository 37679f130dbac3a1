import type { Pool } from '@agp/db';
import { shape } from '../queries/fill-database.ts';

/** As many agents as are asked for in all; those that the events leave out were seen today, and used a little. */
export async function fillAgents(pool: Pool, agents: number, now: number): Promise<void> {
  const values = [shape.agents, agents - 1, now];
  const idOf = `overlay(overlay(md5('agent' || n) PLACING '019a000000007' FROM 1) PLACING 'a' FROM 17)::uuid`;
  const numbers = 'generate_series($1::integer, $2::integer) AS n';
  await pool.query(
    `INSERT INTO agents (id, name, status, source_ip, created_at, updated_at, daily_cap_usd)
     SELECT ${idOf}, 'agent-' || lpad(n::text, 6, '0'),
       CASE WHEN n % 20 = 7 THEN 'blocked' WHEN n % 20 = 9 THEN 'retired' ELSE 'active' END, '10.0.0.1',
       to_timestamp($3 / 1000.0) - n * interval '1 second', now(), CASE WHEN n % 4 = 0 THEN 0.01 * (1 + n % 100) END
     FROM ${numbers} ON CONFLICT DO NOTHING`,
    values,
  );
  await pool.query(
    `INSERT INTO agent_last_seen (agent_id, last_event_id, source_ip)
     SELECT ${idOf}, (lpad(to_hex($3::bigint - n), 12, '0') || '7000a' || lpad(to_hex(n), 15, '0'))::uuid, '10.0.0.1'
     FROM ${numbers} ON CONFLICT DO NOTHING`,
    values,
  );
  await pool.query(
    `INSERT INTO daily_usage (
       day, agent_id, model, prompt_tokens, completion_tokens, cost_usd, event_count, request_count, first_event_at, last_event_at)
     SELECT (to_timestamp($3 / 1000.0) AT TIME ZONE 'UTC')::date, ${idOf}, 'model-' || n % 16, 100, 20, n % 997 * 1e-5, 1, 1,
       to_timestamp($3 / 1000.0), to_timestamp($3 / 1000.0)
     FROM ${numbers} ON CONFLICT DO NOTHING`,
    values,
  );
}

/** Refused requests of the last days, singly, of the first agents. */
export async function fillRefusals(pool: Pool, count: number, now: number): Promise<void> {
  await pool.query(
    `INSERT INTO refused_requests (id, agent_id, reason, request_id, source_ip, provider, path)
     SELECT (lpad(to_hex($1::bigint - n * 1000), 12, '0') || '7000a' || lpad(to_hex(n), 15, '0'))::uuid, agents.ids[1 + n % 100],
       (ARRAY['agent_blocked', 'rate_limited', 'agent_budget_exceeded'])[1 + n % 3], 'req_' || md5(n::text), '10.0.0.1', 'openai',
       '/v1/chat/completions'
     FROM generate_series(1, $2::integer) AS n, (SELECT array_agg(id) AS ids FROM (SELECT id FROM agents LIMIT 100) AS chosen) AS agents
     ON CONFLICT DO NOTHING`,
    [now, count],
  );
}
