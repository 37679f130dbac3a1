import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { reportingSchema, teamRole, teamSetting } from '../role-names.ts';
import type { TablePrivileges } from './privileges.ts';

const team = `(SELECT current_setting('${teamSetting}')::jsonb)`;
const agents = `SELECT FROM public.agents AS own WHERE own.metadata @> ${team}`;
/** Joined, so that what is kept by agent is read for the team's alone. */
const ofAgent = `EXISTS (${agents} AND own.id = shown.agent_id)`;
// IS TRUE keeps it a filter of each row, by a hashed set for many and a look-up for few: lists are read in their order.
const inOrder = `${ofAgent} IS TRUE`;
const others = `team IS DISTINCT FROM ${team}`;
const ofClaim = (claim: string) => `EXISTS (${agents} AND (own.name = ${claim}.name OR own.id = ${claim}.agent_id))`;
const ofName = (column: string) => `EXISTS (${agents} AND own.name = shown.${column})`;
const ofSession = `EXISTS (
  SELECT FROM public.sessions WHERE sessions.id = shown.session_id AND EXISTS (${agents} AND own.id = sessions.agent_id))`;

interface TeamView extends TablePrivileges {
  /** Which rows of the table there are. */
  rows: string;
  /** Columns that are other than the table's; all are as they are there, if not given. */
  columns?: string;
  /** Whether what is written must be among the rows. */
  keeps?: true;
}

const columns = (names: string) => names.split(' ');
const read = (rows: string): TeamView => ({ rows, select: 'all' });
const readEach = (tables: string, rows: string) =>
  Object.fromEntries(columns(tables).map((table) => [table, read(rows)]));

/**
 * What a team sees of each table, under the table's own name, and what it may change there; other tables do not exist for it. Views, and not
 * row security: statements of the installation, and so the proxy and the writer, pay nothing, and no lock is taken of the tables. They are
 * no security barriers, since callers choose values, never statements: as barriers they would keep lists from being read by an index.
 */
const teamViews: Readonly<Record<string, TeamView>> = {
  agents: {
    rows: `shown.metadata @> ${team}`,
    select: 'all',
    update: columns(
      'status blocked_until metadata updated_at daily_cap_usd cap_changed_at warn_only requests_per_minute',
    ),
    keeps: true,
  },
  ...readEach(
    'sessions events hourly_usage hourly_labelled hourly_findings refusal_counts hourly_refusals refused_requests',
    inOrder,
  ),
  ...readEach('agent_last_seen daily_usage agent_usage unrecorded_spend doubtful_usage', ofAgent),
  // A team's policy decides of its agents alone; of the installation's, nobody counts by agent.
  hourly_decisions: read(`EXISTS (
    SELECT FROM public.policies
    WHERE policies.name = shown.policy AND policies.team = ${team} AND shown.hour >= date_trunc('hour', policies.created_at))`),
  lineage_heads: read(ofSession),
  lineage_anchors: read(ofSession),
  claimed_bills: read(`EXISTS (
    SELECT FROM public.events WHERE events.id = shown.event_id AND EXISTS (${agents} AND own.id = events.agent_id))`),
  // An alert of several agents names them: all must be the team's.
  alerts: {
    ...read(`${ofAgent} OR coalesce(cardinality(shown.agent_ids), 0) > 0 AND NOT EXISTS (
      SELECT FROM unnest(shown.agent_ids) AS named (id) WHERE NOT EXISTS (${agents} AND own.id = named.id))`),
    update: columns('acknowledged_at acknowledged_by changed_at'),
  },
  // By their ids, which only the hours of agents tell.
  label_sets: read('true'),
  claimed_names: {
    ...read(ofClaim('shown')),
    ...{ insert: columns('name'), update: columns('name'), keeps: true },
  },
  // Without SELECT of the digest.
  agent_tokens: {
    rows: ofName('agent_name'),
    select: columns('id agent_name created_at expires_at'),
    insert: columns('id agent_name secret_sha256 expires_at'),
    ...{ delete: true, keeps: true },
  },
  exchanged_tokens: {
    rows: ofName('agent_name'),
    select: columns('id agent_name identity_id identity_version created_at expires_at'),
    delete: true,
  },
  // Of an issuer its name, to say whose an agent is.
  identities: {
    ...read(
      `EXISTS (SELECT FROM public.claimed_names AS claim WHERE claim.identity_id = shown.id AND ${ofClaim('claim')})`,
    ),
    columns: 'shown.id, shown.name',
  },
  policies: {
    ...read(`(shown.team IS NULL OR shown.team = ${team})`),
    insert: columns('id name policy text'),
    update: columns('name version policy text updated_at'),
    delete: true,
  },
  budgets: {
    ...read(`shown.team = ${team}`),
    insert: columns('id name budget text'),
    update: columns('name version budget text epoch active active_epoch updated_at'),
    delete: true,
  },
  budget_spend: read(`EXISTS (
    SELECT FROM public.budgets WHERE budgets.id = shown.budget_id AND budgets.team = ${team})`),
  control: {
    ...read('true'),
    columns: `shown.id, shown.paused, NULL::numeric AS global_cap_usd, false AS global_warn_only, shown.default_agent_cap_usd,
      shown.default_warn_only, shown.default_requests_per_minute, shown.policy_version, shown.budget_version`,
    update: columns('policy_version budget_version'),
  },
  // Who paused all agents is shown to all.
  audit_log: { ...read(`(shown.team = ${team} OR ${inOrder} OR shown.action = 'pause.set')`), insert: 'all' },
  audit_head: { ...read('true'), update: columns('length hash') },
  refusal_fill: read('true'),
  console_views: { ...read('shown.owner IS NOT NULL'), insert: 'all', delete: true, keeps: true },
};

/** Of the other tables: all agents together are the team's here, and a model without a price has all its calls of the team. */
const otherViews = {
  daily_global_spend: `
    SELECT day, 0::smallint AS shard, sum(cost_usd) AS cost_usd FROM ${teamRole}.daily_usage GROUP BY day`,
  unpriced_usage: `
    SELECT unpriced.provider, unpriced.model, used.request_count, used.prompt_tokens, used.completion_tokens,
      used.first_event_at, used.last_event_at
    FROM public.unpriced_usage AS unpriced JOIN (
      SELECT model, sum(request_count)::bigint AS request_count, sum(prompt_tokens)::bigint AS prompt_tokens,
        sum(completion_tokens)::bigint AS completion_tokens, min(first_event_at) AS first_event_at,
        max(last_event_at) AS last_event_at
      FROM ${teamRole}.agent_usage GROUP BY model
    ) AS used ON used.model = regexp_replace(unpriced.model, ' without [a-z0-9_]+$', '')`,
  // Labels by which keys, and policies and budgets of others, choose agents: by their names alone.
  governing_labels: `
    WITH selectors AS (
      SELECT policy->'match' AS selector FROM public.policies WHERE ${others}
      UNION ALL SELECT policy#>'{match,not}' FROM public.policies WHERE ${others}
      UNION ALL SELECT jsonb_path_query(policy, '$.exceptions[*].match') FROM public.policies WHERE ${others}
      UNION ALL SELECT budget->'match' FROM public.budgets WHERE ${others}
      UNION ALL SELECT budget#>'{match,not}' FROM public.budgets WHERE ${others}
    )
    SELECT jsonb_object_keys(match) AS name FROM public.api_keys WHERE match IS NOT NULL
    UNION SELECT jsonb_object_keys(match) FROM public.console_sessions WHERE match IS NOT NULL
    UNION SELECT jsonb_object_keys(selector->'labels') FROM selectors WHERE jsonb_typeof(selector->'labels') = 'object'
    UNION SELECT 'compliance_tag' FROM selectors WHERE selector ? 'tags'
    UNION SELECT substr(budget->>'split_by', 7) FROM public.budgets WHERE budget->>'split_by' LIKE 'label:%' AND ${others}`,
};

function renderView(name: string, { rows, columns: shown = 'shown.*', keeps, ...privileges }: TeamView): string[] {
  const granted = Object.entries(privileges).map(([kind, names]) =>
    Array.isArray(names) ? `${kind.toUpperCase()} (${names.join(', ')})` : kind.toUpperCase(),
  );
  return [
    `CREATE VIEW ${teamRole}.${name} AS SELECT ${shown} FROM public.${name} AS shown WHERE ${rows}
      ${keeps ? 'WITH LOCAL CHECK OPTION' : ''}`,
    `GRANT ${granted.join(', ')} ON ${teamRole}.${name} TO ${teamRole}`,
  ];
}

/** Makes the views anew, since a table may have other columns by now; nothing without the role. In the transaction of all grants. */
export async function makeTeamViews(transaction: Db): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(transaction);
  await run(`SET LOCAL search_path = public`);
  const { rows } = await sql<{ exists: boolean; today: string }>`
    SELECT to_regrole(${teamRole}) IS NOT NULL AS exists,
      pg_get_viewdef(${`${reportingSchema}.budgets_today`}::regclass) AS today`.execute(transaction);
  const [found] = rows;
  if (!found?.exists) return;
  await run(`DROP SCHEMA IF EXISTS ${teamRole} CASCADE`);
  await run(`CREATE SCHEMA ${teamRole}`);
  for (const [name, view] of Object.entries(teamViews))
    for (const statement of renderView(name, view)) await run(statement);
  for (const [name, text] of Object.entries(otherViews)) await run(`CREATE VIEW ${teamRole}.${name} AS ${text}`);
  // The same view, by the tables of the same names here.
  await run(`SET LOCAL search_path = ${teamRole}`);
  await run(`CREATE VIEW ${teamRole}.budgets_today AS ${found.today}`);
  for (const name of ['budgets_today', ...Object.keys(otherViews)])
    await run(`GRANT SELECT ON ${teamRole}.${name} TO ${teamRole}`);
  await run(`GRANT USAGE ON SCHEMA ${teamRole}, ${reportingSchema} TO ${teamRole}`);
  await run(`GRANT EXECUTE ON ALL ROUTINES IN SCHEMA ${reportingSchema} TO ${teamRole}`);
  await run(`SET LOCAL search_path = public, ${reportingSchema}`);
}

/** Names of labels that a team may not change. @param db of a team */
export async function listGoverningLabels(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM governing_labels`.execute(db);
  return rows.map(({ name }) => name);
}

/** Whether there are such views, and whom this connects as may be their role. */
export async function servesTeams(db: Db): Promise<boolean> {
  const { rows } = await sql<{ serves: boolean }>`
    SELECT EXISTS (
      SELECT FROM pg_namespace JOIN pg_roles ON rolname = nspname
      WHERE nspname = ${teamRole} AND pg_has_role(pg_roles.oid, 'MEMBER')
    ) AS serves`.execute(db);
  return rows[0]?.serves === true;
}
