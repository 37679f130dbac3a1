import { toPublicId } from '@agp/core/ids';
import { type Database, recordEvents } from '@agp/db';
import { makeEvent } from './make-event.ts';

const dayMs = 86_400_000;
/** An hour of yesterday, so that nothing seeded lies in the future. */
export const seededAt = Math.floor(Date.now() / dayMs) * dayMs - dayMs / 2;

/** A UUIDv7 of the hour that was seeded. */
export const seededUuid = (number: number) => {
  const ms = (seededAt + number * 1_000).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`;
};

export interface SeededAgent {
  number: number;
  name: string;
  id: string;
  team: string | null;
}

const agentOf = (number: number, name: string, team: string | null): SeededAgent => ({
  ...{ number, name, team },
  id: toPublicId('agt', seededUuid(number)),
});

export const seededAgents = [
  agentOf(1, 'finder', 'a'),
  agentOf(2, 'sorter', 'a'),
  agentOf(3, 'finder-of-b', 'b'),
  agentOf(4, 'sorter-of-b', 'b'),
  agentOf(5, 'nobody', null),
];

/** Ids outside of what an agent has. */
export const idsOf = ({ number }: SeededAgent) => ({
  agent: toPublicId('agt', seededUuid(number)),
  event: toPublicId('evt', seededUuid(number * 100)),
  session: toPublicId('ses', seededUuid(number * 100 + 50)),
  lost: toPublicId('evt', seededUuid(number * 100 + 60)),
  refusal: toPublicId('ref', seededUuid(number * 100 + 70)),
  alert: toPublicId('alr', seededUuid(number * 100 + 80)),
  token: toPublicId('tok', seededUuid(number * 100 + 90)),
});

/** Ids of a team's policy and budget; null has those of the installation. */
export const documentsOf = (team: string | null) => ({
  policy: toPublicId('pol', seededUuid(9_000 + (team ?? 'z').charCodeAt(0))),
  budget: toPublicId('bud', seededUuid(9_200 + (team ?? 'z').charCodeAt(0))),
});

async function seedAgent({ pool }: Database, { number, name, team }: SeededAgent): Promise<void> {
  const at = (part: number) => seededUuid(number * 100 + part);
  const time = new Date(seededAt);
  const metadata = { ...(team && { team }), owner: `owner-${number}` };
  const agent = seededUuid(number);
  await pool.query(
    `INSERT INTO agents (id, name, source_ip, metadata, daily_cap_usd, created_at, updated_at)
     VALUES ($1, $2, '10.0.0.1', $3, $4, $5, $5)`,
    [agent, name, metadata, number, time],
  );
  const events = [0, 1, 2, 3].map((index) =>
    makeEvent(toPublicId('agt', agent), toPublicId('ses', at(50)), new Date(seededAt + index).toISOString(), {
      id: toPublicId('evt', at(index)),
      model: `model-${number}`,
      cost_nano_usd: number * 1_000_000_000 + index,
      labels: { owner: `owner-${number}` },
      pii_detected: true,
      pii_types: index % 2 === 0 ? ['email'] : ['iban'],
      request_sha256: `${number}`.repeat(64),
    }),
  );
  await recordEvents(pool, events);
  const spend = [at(60), time, agent, number];
  await pool.query(
    `INSERT INTO unrecorded_spend (event_id, day, agent_id, cost_usd, reason, noted_at) VALUES ($1, $2::timestamptz::date, $3, $4, 'lost', $2)`,
    spend,
  );
  await pool.query(
    `INSERT INTO doubtful_usage (event_id, agent_id, session_id, provider, model, reason, claimed_prompt_tokens,
       claimed_completion_tokens, claimed_cost_usd, cost_usd, occurred_at)
     VALUES ($1, $3, 's', 'openai', 'doubted', 'too_many', 1, 1, $4, $4, $2)`,
    spend,
  );
  await pool.query(
    `INSERT INTO refused_requests (id, agent_id, reason, request_id, source_ip, provider, path)
     VALUES ($1, $2, 'agent_blocked', $3, '10.0.0.1', 'openai', '/v1/chat/completions')`,
    [at(70), agent, `req-${number}`],
  );
  await pool.query(
    `INSERT INTO hourly_refusals (hour, agent_id, reason, refusal_count) VALUES ($1, $2, 'agent_blocked', $3)`,
    [new Date(seededAt), agent, number],
  );
  await pool.query(
    `INSERT INTO alerts (id, rule_id, rule, kind, severity, subject, "window", title, detail, path, agent_id, opened_at, seen_at, changed_at)
     SELECT $1, id, name, 'failing', 'critical', $2, '', 'agent ' || $2::text || ' fails', '', '/', $3, $4, now() + interval '1 day', $4
     FROM notification_rules WHERE name = 'agents-failing'`,
    [at(80), name, agent, time],
  );
  await pool.query(
    `INSERT INTO unpriced_usage (provider, model, request_count, prompt_tokens, completion_tokens, first_event_at, last_event_at)
     VALUES ('openai', $1, $2, $2, $2, $3, $3), ('openai', 'model-1 without cache_write', 1, 1, 1, $3, $3)
     ON CONFLICT (provider, model) DO NOTHING`,
    [`model-${number}`, number, time],
  );
  await pool.query('INSERT INTO claimed_names (name, claimed_at) VALUES ($1, $2)', [name, time]);
  await pool.query(
    `INSERT INTO agent_tokens (id, agent_name, secret_sha256, created_at) VALUES ($1, $2, sha256($2::text::bytea), $3)`,
    [at(90), name, time],
  );
}

async function seedDocuments({ pool }: Database, team: string | null): Promise<void> {
  const [name, time] = [`${team ?? 'all'}.rules`, new Date(seededAt)];
  const match = team === null ? {} : { labels: { team: [team] } };
  const policy = { name, mode: 'observe', match, models: { deny: [`never-${team}`] } };
  const budget = { name, match, amount: 100, window: 'month' };
  const of = (id: string) => [id, name, team === null ? null : { team }, time];
  await pool.query(
    'INSERT INTO policies (id, name, team, created_at, updated_at, policy) VALUES ($1, $2, $3, $4, $4, $5)',
    [...of(seededUuid(9_000 + (team ?? 'z').charCodeAt(0))), policy],
  );
  await pool.query(
    `INSERT INTO budgets (id, name, team, created_at, updated_at, budget, active, active_epoch)
     VALUES ($1, $2, $3, $4, $4, $5, $5, 1)`,
    [...of(seededUuid(9_200 + (team ?? 'z').charCodeAt(0))), budget],
  );
}

/** Agents of two teams and of nobody, with all that there may be of an agent; only those of one team, and what all see, if it is named. */
export async function seedTeams(database: Database, only?: string): Promise<void> {
  // No watch opens alerts, or ends those that are put here.
  await database.pool.query('DELETE FROM alert_watch');
  for (const agent of seededAgents) if (only === undefined || agent.team === only) await seedAgent(database, agent);
  for (const team of ['a', 'b']) if (only === undefined || team === only) await seedDocuments(database, team);
  await seedDocuments(database, null);
  await database.pool.query('UPDATE control SET policy_version = 3, budget_version = 3');
}
