import { toPublicId } from '@agp/core/ids';
import type { Pool } from '@agp/db';
import { wholeSession } from './fill-database.ts';

/** A call of the API. */
export interface Call {
  name: string;
  path: string;
  /** What grows with the number of events or entries by its nature. */
  isLinear?: string;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Every GET of the API, and the lists in the ways that were once slow. */
export async function listCalls(pool: Pool, now: number): Promise<Call[]> {
  const one = async (text: string, values: unknown[] = []) =>
    (await pool.query<{ found: string }>(text, values)).rows[0]?.found as string;
  const at = (ms: number) => new Date(now - ms).toISOString();
  const hourAt = (ms: number) => new Date(Math.floor((now - ms) / hourMs) * hourMs).toISOString();
  const cursorAt = async (ms: number) =>
    toPublicId(
      'evt',
      await one('SELECT id AS found FROM events WHERE id < reporting.first_id_at($1) ORDER BY id DESC LIMIT 1', [
        at(ms),
      ]),
    );
  const agent = toPublicId('agt', await one(`SELECT id AS found FROM agents WHERE name = 'agent-0003'`));
  const event = toPublicId(
    'evt',
    await one('SELECT id AS found FROM events WHERE session_id = $1 LIMIT 1', [wholeSession]),
  );
  const deep = await pool.query<{ started_at: Date; id: string }>(
    `SELECT started_at, id FROM sessions WHERE started_at < $1 ORDER BY started_at DESC, id LIMIT 1`,
    [at(59 * dayMs)],
  );
  const { started_at, id } = deep.rows[0] as { started_at: Date; id: string };
  const events = (name: string, query: string): Call => ({
    name: `events ${name}`,
    path: `/api/v1/events?limit=100&${query}`,
  });
  const plain = (path: string, isLinear?: string): Call => ({
    name: path.replace(agent, '{id}').replace(event, '{id}').replace(wholeSession, '{id}'),
    path: `/api/v1/${path}`,
    ...(isLinear && { isLinear }),
  });
  return [
    events('', ''),
    events('of an agent', `agent_id=${agent}`),
    events('of a session', `session_id=${wholeSession}`),
    events('of a rare tag', 'compliance_tag=rare-tag'),
    events('with PII', 'pii_detected=true'),
    events('in the middle', `cursor=${await cursorAt(30 * dayMs)}`),
    events('of an hour', `from=${at(20 * dayMs)}&to=${at(20 * dayMs - hourMs)}`),
    events('of a rare model', 'model=rare-model'),
    events('of a rare model, 24 h', `model=rare-model&from=${at(dayMs)}`),
    events('of a rare model, 7 d', `model=rare-model&from=${at(7 * dayMs)}`),
    events('of a rare model with PII', 'model=rare-model&pii_detected=true'),
    events('of a common model', 'model=model-3'),
    events('of an old model', 'model=retired-model'),
    events('of no such model', 'model=none'),
    events('of an old provider', 'provider=retired-provider'),
    events('of no such provider', 'provider=none'),
    events('of an agent and a rare model', `agent_id=${agent}&model=rare-model`),
    events('recorded in 1 h', `recorded_after=${at(hourMs)}`),
    events('recorded in 24 h', `recorded_after=${at(dayMs)}`),
    events('recorded in 24 h, last page', `recorded_after=${at(dayMs)}&cursor=${await cursorAt(dayMs - 5 * minuteMs)}`),
    events('recorded in 7 d, of no agent', `recorded_after=${at(7 * dayMs)}&agent_id=none`),
    plain(`agents/${agent}/events?limit=100`),
    plain(`events/${event}`),
    plain(`events/${event}/detail`),
    plain(`events/sessions/${wholeSession}`),
    plain('sessions?limit=100'),
    { name: 'sessions, 98 % deep', path: `/api/v1/sessions?limit=100&cursor=${started_at.getTime()}.${id}` },
    { name: 'sessions of an agent', path: `/api/v1/sessions?limit=100&agent_id=${agent}` },
    plain(`sessions/${wholeSession}`),
    plain(`lineage/${wholeSession}`),
    plain(`lineage/${wholeSession}/verify`),
    plain(`lineage/${wholeSession}/removed`),
    plain('lineage/removals'),
    plain('costs/summary'),
    plain('costs/breakdown'),
    plain('costs/unpriced'),
    plain('prices'),
    plain('costs/doubtful'),
    plain('costs/unrecorded'),
    plain('agents'),
    plain(`agents/${agent}`),
    plain('budgets'),
    plain('limits'),
    plain('audit?limit=100'),
    plain(`audit?limit=100&agent_id=${agent}`),
    plain('audit?limit=100&action=request.refused'),
    plain('audit/verify', 'entries'),
    plain('audit/chain', 'entries'),
    plain('keys'),
    plain('pause'),
    plain('agent-tokens'),
    plain('provider-keys'),
    plain('claimed-names'),
    plain('status'),
    plain('refusals?limit=100'),
    {
      name: 'costs/usage of 24 h, in most detail',
      path: `/api/v1/costs/usage?from=${hourAt(dayMs)}&group_by=agent,model,provider,tag`,
    },
    ...['provider', 'agent', 'model'].map((group) => ({
      name: `costs/usage of 7 d, by ${group}`,
      path: `/api/v1/costs/usage?from=${hourAt(7 * dayMs)}&group_by=${group}&top=5`,
    })),
    plain('status?from=7d'),
    { name: 'costs/usage of 30 d, by day', path: `/api/v1/costs/usage?from=${hourAt(30 * dayMs)}&group_by=day` },
  ];
}
