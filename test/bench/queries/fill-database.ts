import { randomUUIDv7 } from 'node:crypto';
import { toPublicId } from '@agp/core/ids';
import {
  addDoubtfulUsage,
  addUnrecordedSpend,
  bucketColumns,
  type Database,
  makePartitions,
  type Pool,
  recordEvents,
  rollUpRefusals,
  sealRefusals,
} from '@agp/db';
import { makeEventAt } from '@agp/testing/events';

/** The shape of what is filled in. The same agents and weeks at every size, so that only the number of events differs. */
export const shape = {
  days: 60,
  agents: 500,
  /** Agents belong to them in turn; none if 0. */
  teams: 0,
  eventsPerSession: 10,
  /** One event of so many. */
  rareModelOneIn: 5_000,
  /** Models and providers that only the first of the days used. */
  oldestDays: 2,
};

const dayMs = 86_400_000;

/** Where the events of a database end, and how many it has. */
export interface Filled {
  now: number;
  events: number;
}

/** SQL: a whole number below `below` that looks random, made of `seed`. */
const draw = (seed: string, below: number) => `(abs(hashint8extended(${seed}, ${below})) % ${below})`;

/** SQL: the UUID of the agent with that number. */
const agentOf = (number: string) =>
  `overlay(overlay(md5('agent' || ${number}) PLACING '019a000000007' FROM 1) PLACING 'a' FROM 17)::uuid`;

/**
 * Sessions `$3` + 1 to `$4` with their events, all of the day that begins at `$1` (ms) and lasts `$2` ms. Costs in nano-dollars; the hashes
 * only look like hashes, since a chain of ten million would take an hour. OFFSET 0 keeps Postgres from computing them once for each mention.
 */
const insertEvents = () => `
  INSERT INTO events (
    id, session_id, seq, agent_id, "timestamp", recorded_at, direction, model, provider, prompt_tokens, completion_tokens,
    total_tokens, cost_usd, compliance_tag, pii_detected, pii_types, counts_as_request, lineage_hash, payload, outcome,
    http_status, request_id, pii_scan)
  SELECT id, session_id, seq, agent_id, at, at + interval '1 millisecond' * (200 + ${draw('event', 9_000)}), 'response', model,
    provider, prompt, completion, prompt + completion, (prompt * 3 + completion * 12) * 1e-7, tag, pii,
    CASE WHEN pii THEN ARRAY[(ARRAY['email', 'phone', 'iban', 'credential', 'person_name'])[1 + ${draw('event * 5', 5)}]] ELSE '{}' END,
    true, 'sha256:' || digest || digest,
    json_build_object('agent_id', agent_id, 'completion_tokens', completion, 'compliance_tag', tag, 'duration_ms', 1843,
      'http_status', 200, 'id', id, 'method', 'POST', 'model', model, 'outcome', 'completed', 'path', '/v1/chat/completions',
      'pii_detected', pii, 'prompt_tokens', prompt, 'provider', provider, 'request_sha256', digest || digest,
      'response_sha256', digest || digest, 'seq', seq, 'session_id', session_id, 'timestamp', at, 'usage_source', 'provider')::text,
    'completed', 200, 'req_' || left(digest, 20), 'full'
  FROM (
    SELECT *, digest_of::text AS digest,
      (lpad(to_hex(ms), 12, '0') || '7' || left(digest_of, 3) || 'a' || substr(digest_of, 4, 15))::uuid AS id,
      to_timestamp(ms / 1000.0) AS at,
      CASE WHEN $1::bigint < $5::bigint THEN CASE WHEN event % 3 = 0 THEN 'retired-model' ELSE 'gpt-4o' END
           WHEN ${draw('event * 7', shape.rareModelOneIn)} = 0 THEN 'rare-model'
           ELSE 'model-' || ${draw('session', 4)} * 4 + ${draw('event * 11', 4)} + ${draw('session * 3', 3)} END AS model,
      CASE WHEN $1::bigint < $5::bigint AND event % 4 = 0 THEN 'retired-provider'
           ELSE (ARRAY['openai', 'anthropic', 'gemini'])[1 + session % 3] END AS provider,
      200 + ${draw('event * 13', 3_000)} AS prompt, ${draw('event * 17', 800)} AS completion,
      (ARRAY['default', 'default', 'default', 'gdpr', 'hipaa'])[1 + session % 5] AS tag,
      ${draw('event * 19', 20)} = 0 AS pii
    FROM (
      SELECT session, seq, session * ${shape.eventsPerSession} + seq AS event,
        md5((session * ${shape.eventsPerSession} + seq)::text) AS digest_of, 'ses_bench' || lpad(session::text, 12, '0') AS session_id,
        ${agentOf(`floor(${shape.agents} * power(${draw('session * 23', 10_000)} / 10000.0, 2))`)} AS agent_id,
        $1::bigint + (${draw('session * 29', 1_000_000)} / 1e6 * ($2::bigint - 600000))::bigint + seq * 40000 + ${draw('session * 31', 40_000)} AS ms
      FROM generate_series($3::bigint + 1, $4::bigint) AS session, generate_series(0, ${shape.eventsPerSession - 1}) AS seq
      OFFSET 0
    ) AS drawn
  ) AS made`;

const insertAgents = () => `
  INSERT INTO agents (id, name, status, source_ip, metadata, created_at, updated_at)
  SELECT ${agentOf('n')}, 'agent-' || lpad(n::text, greatest(4, length(n::text)), '0'),
    CASE WHEN n % 20 = 7 THEN 'blocked' WHEN n % 20 = 9 THEN 'retired' ELSE 'active' END, '10.0.0.1',
    ${shape.teams === 0 ? `'{}'::jsonb` : `jsonb_build_object('team', 'team-' || n % ${shape.teams})`},
    to_timestamp($1 / 1000.0) + n * interval '1 second', to_timestamp($1 / 1000.0) + n * interval '1 minute'
  FROM generate_series(0, ${shape.agents - 1}) AS n ON CONFLICT DO NOTHING`;

/** Spread over the buckets by the last byte of their ids: their sums cost the same whatever the durations are. */
const buckets = Object.values(bucketColumns).flat();
const resultColumns = ['failed_count', ...buckets].join(', ');
const results = [
  'count(*) FILTER (WHERE http_status >= 400)',
  ...buckets.map(
    (_, at) =>
      `count(*) FILTER (WHERE get_byte(uuid_send(id), 15) % ${bucketColumns.duration_ms.length} = ${at % bucketColumns.duration_ms.length})`,
  ),
].join(', ');

/** What the writer would have kept for the events of a range of ids, from `$1` on and below `$2`. Sessions begin and end within it. */
const totals = [
  `INSERT INTO sessions (
      id, agent_id, started_at, ended_at, event_count, total_tokens, total_cost_usd, compliance_tag, pii_detected, last_event_id)
    SELECT session_id, min(agent_id::text)::uuid, min("timestamp"), max("timestamp"), count(*), sum(total_tokens), sum(cost_usd),
      max(compliance_tag), bool_or(pii_detected), max(id::text)::uuid
    FROM events WHERE id >= $1 AND id < $2 GROUP BY 1 ON CONFLICT DO NOTHING`,
  `INSERT INTO lineage_heads (session_id, length, hash)
    SELECT session_id, count(*), max(lineage_hash) FROM events WHERE id >= $1 AND id < $2 GROUP BY 1 ON CONFLICT DO NOTHING`,
  `INSERT INTO daily_usage (
      day, agent_id, model, prompt_tokens, completion_tokens, cost_usd, event_count, request_count, first_event_at, last_event_at,
      ${resultColumns})
    SELECT ("timestamp" AT TIME ZONE 'UTC')::date, agent_id, model, sum(prompt_tokens), sum(completion_tokens), sum(cost_usd),
      count(*), count(*), min("timestamp"), max("timestamp"), ${results}
    FROM events WHERE id >= $1 AND id < $2 GROUP BY 1, 2, 3`,
  `INSERT INTO hourly_usage (
      hour, agent_id, model, provider, compliance_tag, prompt_tokens, completion_tokens, cost_usd, event_count, request_count,
      ${resultColumns})
    SELECT date_trunc('hour', "timestamp", 'UTC'), agent_id, model, provider, compliance_tag, sum(prompt_tokens),
      sum(completion_tokens), sum(cost_usd), count(*), count(*), ${results}
    FROM events WHERE id >= $1 AND id < $2 GROUP BY 1, 2, 3, 4, 5`,
  `INSERT INTO hourly_findings (hour, agent_id, kind, event_count, last_event_at)
    SELECT date_trunc('hour', "timestamp", 'UTC'), agent_id, kind, count(DISTINCT id), max("timestamp")
    FROM events, unnest(pii_types) AS kind WHERE pii_detected AND id >= $1 AND id < $2 GROUP BY 1, 2, 3`,
  `INSERT INTO agent_usage (
      agent_id, model, prompt_tokens, completion_tokens, cost_usd, event_count, request_count, first_event_at, last_event_at)
    SELECT agent_id, model, sum(prompt_tokens), sum(completion_tokens), sum(cost_usd), count(*), count(*), min("timestamp"),
      max("timestamp")
    FROM events WHERE id >= $1 AND id < $2 GROUP BY 1, 2
    ON CONFLICT (agent_id, model) DO UPDATE SET prompt_tokens = agent_usage.prompt_tokens + EXCLUDED.prompt_tokens,
      completion_tokens = agent_usage.completion_tokens + EXCLUDED.completion_tokens,
      cost_usd = agent_usage.cost_usd + EXCLUDED.cost_usd, event_count = agent_usage.event_count + EXCLUDED.event_count,
      request_count = agent_usage.request_count + EXCLUDED.request_count, last_event_at = EXCLUDED.last_event_at`,
  `INSERT INTO daily_global_spend (day, shard, cost_usd)
    SELECT ("timestamp" AT TIME ZONE 'UTC')::date, 0, sum(cost_usd) FROM events WHERE id >= $1 AND id < $2 GROUP BY 1`,
  `INSERT INTO agent_last_seen (agent_id, last_event_id, source_ip)
    SELECT agent_id, max(id::text)::uuid, '10.0.0.1' FROM events WHERE id >= $1 AND id < $2 GROUP BY 1
    ON CONFLICT (agent_id) DO UPDATE SET last_event_id = greatest(agent_last_seen.last_event_id, EXCLUDED.last_event_id)`,
];

const idAt = (ms: number) =>
  `${ms
    .toString(16)
    .padStart(12, '0')
    .replace(/(.{8})(.{4})/, '$1-$2')}-0000-0000-000000000000`;

/** A line that is written over again. */
function show(text: string): void {
  process.stdout.write(process.stdout.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
}

async function dropIndexes(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = 'events'::regclass AND NOT indisprimary`,
  );
  for (const { name } of rows) await pool.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '));
}

/** The UTC days until `now`, each with its number, start and length in milliseconds; the last one ends now. */
function listDays(now: number): { day: number; from: number; lengthMs: number }[] {
  const first = Math.floor(now / dayMs) * dayMs - (shape.days - 1) * dayMs;
  return Array.from({ length: shape.days }, (_, day) => {
    const from = first + day * dayMs;
    return { day, from, lengthMs: Math.max(3_600_000, Math.min(dayMs, now - from)) };
  });
}

/** Works on all days, two at a time, since the machines that this runs on have two cores. */
async function eachDay(now: number, what: string, began: number, work: (day: Day) => Promise<unknown>): Promise<void> {
  const waiting = listDays(now);
  let done = 0;
  const workers = Array.from({ length: 2 }, async () => {
    for (let day = waiting.shift(); day !== undefined; day = waiting.shift()) {
      await work(day);
      done += 1;
      show(`${what}: ${done} of ${shape.days} days, ${Math.round((performance.now() - began) / 1_000)} s`);
    }
  });
  await Promise.all(workers);
}

type Day = ReturnType<typeof listDays>[number];

/** For the time of the fill: everything in it can be made again. */
const settings = [
  "max_wal_size = '8GB'",
  "maintenance_work_mem = '1GB'",
  "work_mem = '64MB'",
  'synchronous_commit = off',
  'autovacuum = off',
];

/**
 * Fills a database with events of the days until `now`, by the server itself: nothing passes through this process. It adds to what an
 * earlier call has filled in. Large fills make the indexes afterwards. It leaves VACUUM to the caller, who may add more.
 *
 * @param database nothing else writes to it; its user may change settings of the server
 */
export async function fillDatabase({ pool, db }: Database, before: Filled, events: number): Promise<Filled> {
  const { now } = before;
  const began = performance.now();
  const [first] = listDays(now) as [Day, ...Day[]];
  for (let day = 0; day <= shape.days + 7; day += 7) await makePartitions(db, new Date(first.from + day * dayMs), 0);
  await pool.query(insertAgents(), [first.from]);
  // Lists read them like others, and what a benchmark needs after a crash is a new fill.
  const { rows: partitions } = await pool.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass`,
  );
  for (const { name } of partitions) await pool.query(`ALTER TABLE ${name} SET UNLOGGED`);
  for (const setting of settings) await pool.query(`ALTER SYSTEM SET ${setting}`);
  await pool.query('SELECT pg_reload_conf()');

  const known = before.events / shape.eventsPerSession;
  const added = events / shape.eventsPerSession - known;
  const indexes = added > 50_000 ? await dropIndexes(pool) : [];
  await eachDay(now, 'events', began, ({ day, from, lengthMs }) => {
    const share = (days: number) => known + Math.floor((added * days) / shape.days);
    return pool.query(insertEvents(), [
      from,
      lengthMs,
      share(day),
      share(day + 1),
      first.from + shape.oldestDays * dayMs,
    ]);
  });
  const waiting = [...indexes];
  const builders = Array.from({ length: 2 }, async () => {
    for (let definition = waiting.shift(); definition !== undefined; definition = waiting.shift()) {
      await pool.query(definition);
      show(`indexes: ${waiting.length} wait, ${Math.round((performance.now() - began) / 1_000)} s`);
    }
  });
  await Promise.all(builders);
  await pool.query('ANALYZE events');
  await pool.query(`TRUNCATE daily_usage, daily_global_spend, hourly_usage, agent_usage, hourly_findings`);
  await eachDay(now, 'totals', began, async ({ from }) => {
    for (const text of totals) await pool.query(text, [idAt(from), idAt(from + dayMs)]);
  });
  await pool.query('ANALYZE');
  for (const setting of settings) await pool.query(`ALTER SYSTEM RESET ${setting.split(' ')[0]}`);
  await pool.query('SELECT pg_reload_conf(); CHECKPOINT');
  show(`${events.toLocaleString('en')} events in ${Math.round((performance.now() - began) / 1_000)} s\n`);
  return { now, events };
}

const minuteMs = 60_000;

/** A session whose chain is whole, for what reads chains. */
export const wholeSession = 'ses_benchwhole';

/** Adds a session with a real chain, requests that were not recorded or are doubted, and refused requests to the audit log. */
export async function fillLog({ pool, db }: Database, now: number, refusals: number): Promise<void> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM agents ORDER BY name');
  const agentOf = (at: number) => rows[at % rows.length]?.id as string;
  const details = { sessionId: wholeSession, provider: 'openai', model: 'gpt-4o' };
  const { rowCount } = await pool.query('SELECT FROM sessions WHERE id = $1', [wholeSession]);
  if (rowCount === 0) {
    const times = Array.from({ length: 100 }, (_, at) => now - 30 * minuteMs + at * 1_000);
    const fields = { session_id: wholeSession, agent_id: toPublicId('agt', agentOf(3)), compliance_tag: 'rare-tag' };
    await recordEvents(
      pool,
      times.map((ms) => makeEventAt(ms, fields)),
    );
    const ids = times.map(() => randomUUIDv7());
    const day = new Date(now).toISOString().slice(0, 10);
    await addUnrecordedSpend(
      pool,
      ids.map((eventId, at) => ({
        eventId,
        agentId: agentOf(at),
        day,
        costNanoUsd: 5,
        reason: 'lost',
        request: details,
      })),
    );
    await addDoubtfulUsage(
      pool,
      ids.map((eventId, at) => ({
        ...details,
        ...{ eventId, agentId: agentOf(at), reason: 'claim_too_large', occurredAt: now, costNanoUsd: 5 },
        ...{ claimedPromptTokens: 5, claimedCompletionTokens: 5, claimedCostNanoUsd: 5 },
      })),
    );
  }
  // One for each minute and agent: sealed, they become so many entries of the log.
  await pool.query(
    `INSERT INTO refusal_counts (minute, agent_id, reason, count, source_ip, refused_at)
     SELECT date_trunc('minute', to_timestamp($1 / 1000.0)) - interval '40 minutes' * (n / 100) - interval '5 minutes', ($2::uuid[])[1 + n * 7 % $3],
       (ARRAY['agent_blocked', 'rate_limited', 'agent_budget_exceeded'])[1 + n % 3], 1 + n % 9, '10.0.0.1', now()
     FROM generate_series(1, $4::integer) AS n ON CONFLICT DO NOTHING`,
    [now, rows.map(({ id }) => id), rows.length, refusals],
  );
  while ((await sealRefusals(db)) > 0);
  await rollUpRefusals(db, new Date());
}
