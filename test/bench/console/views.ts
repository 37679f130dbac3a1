import type { Pool } from '@agp/db';
import type { Page } from 'playwright-core';
import { shape } from '../queries/fill-database.ts';
import { median } from '../statistics.ts';

/** An address of the console, and when what it is about is there. */
export interface View {
  path: string;
  /** The screen's heading. */
  title: string;
  /** What is only there with the data, as a CSS selector. */
  shown: string;
}

const rowsOf = (label: string) => `table[aria-label="${label}"] tbody tr`;

export interface Known {
  eventId: string;
  sessionId: string;
  agentId: string;
  agentName: string;
  requestId: string;
}

/** Every screen, in the ways that read most. */
export function listViews({ eventId, sessionId, agentId, agentName, requestId }: Known): View[] {
  const events = (query = ''): View => ({ path: `/events${query}`, title: 'Events', shown: rowsOf('Events') });
  const agents = (query = ''): View => ({ path: `/agents${query}`, title: 'Agents', shown: rowsOf('Agents') });
  const costs = (query = ''): View => ({ path: `/costs${query}`, title: 'Costs', shown: rowsOf('Costs') });
  const audit = (query = ''): View => ({
    ...{ path: `/audit${query}`, title: 'Audit log', shown: rowsOf('Entries of the audit log') },
  });
  return [
    { path: '/', title: 'Now', shown: rowsOf('Dearest agents') },
    { path: '/alerts?state=all', title: 'Alerts', shown: `${rowsOf('Alerts')}, .empty` },
    { path: '/alerts/rules', title: 'Rules of alerts', shown: rowsOf('Rules of alerts') },
    { path: '/live', title: 'Live', shown: '.pill[data-tone=good]' },
    events(),
    events(`?agent_id=${agentId}`),
    events('?model=rare-model'),
    events('?from=7d&pii_type=email'),
    // Nothing has failed: all is looked through.
    { ...events('?failed=true'), shown: '.empty' },
    { path: `/events/${eventId}`, title: 'Event', shown: 'dl.fields dd' },
    { path: '/refusals', title: 'Refusals', shown: rowsOf('Refused requests') },
    { path: `/find?id=${requestId}`, title: 'What became of a request', shown: rowsOf('Events') },
    { path: '/sessions', title: 'Sessions', shown: rowsOf('Sessions') },
    { path: `/sessions?agent_id=${agentId}`, title: 'Sessions', shown: rowsOf('Sessions') },
    { path: `/sessions/${sessionId}`, title: 'Session', shown: rowsOf('Turns') },
    { path: '/providers', title: 'Providers', shown: 'main table tbody tr' },
    agents(),
    agents('?order=seen'),
    agents('?order=name'),
    agents('?search=3&order=name'),
    agents('?page=5'),
    { path: `/agents/${agentId}`, title: agentName, shown: '.timeline li' },
    { path: '/policies', title: 'Policies', shown: rowsOf('Policies') },
    { path: '/policies/policy-7', title: 'policy-7', shown: rowsOf('Refused by day') },
    { path: '/budgets', title: 'Budgets', shown: rowsOf('Budgets') },
    { path: '/budgets?all=true', title: 'Budgets', shown: rowsOf('Budgets of agents') },
    costs(),
    costs('?by=agent&from=30d'),
    costs('?by=tag&from=30d'),
    costs('?from=90d'),
    audit(),
    audit(`?agent_id=${agentId}&action=all`),
    audit('?page=100&action=all'),
    { path: '/start', title: 'Connect an agent', shown: '.code-block' },
    { path: '/identities', title: 'Identities', shown: `${rowsOf('Identities')}, .empty` },
    { path: '/keys', title: 'Keys and tokens', shown: rowsOf('API keys') },
  ];
}

/** Medians in milliseconds. */
export interface ViewTimes {
  /** From the change of the address within the page until the data are shown. */
  pageMs: number;
  /** The page's longest task meanwhile, in which it takes no click; 0 if none is above 50. */
  heldMs: number;
  /** All reads that the screen made until then, made at once without a browser. */
  apiMs: number;
  /** The slowest of them alone. */
  slowestMs: number;
  /** Their paths. */
  reads: string[];
}

const rounds = 3;
/** Reads nothing. */
const neutral = '/find';
const longestMs = 60_000;

/** The page's own code, as text: it goes to an address as a link does, and looks at each frame if the data are there. */
const openView = ({ path, title, shown }: View) => `new Promise((resolve, reject) => {
  const began = performance.now();
  let heldMs = 0;
  const tasks = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) heldMs = Math.max(heldMs, duration);
  });
  tasks.observe({ type: 'longtask' });
  const end = (ms) => {
    tasks.disconnect();
    resolve({ ms, heldMs });
  };
  history.pushState({}, '', ${JSON.stringify(path)});
  const main = document.querySelector('main');
  const look = () => {
    const isThere = main.querySelector('h1')?.textContent.startsWith(${JSON.stringify(title)}) &&
      main.querySelector(${JSON.stringify(shown)}) && !main.querySelector('[aria-label=Loading]');
    const ms = performance.now() - began;
    // A task is told once it is over.
    if (isThere) setTimeout(end, 100, ms);
    else if (ms > ${longestMs}) reject(new Error('nothing is shown'));
    else requestAnimationFrame(look);
  };
  look();
})`;

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Opens a screen again and again in a page that has read nothing yet, and makes the same reads without it. */
export async function measureView(page: Page, url: string, key: string, view: View): Promise<ViewTimes> {
  const opened: { ms: number; heldMs: number }[] = [];
  let reads: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await page.goto(url + neutral);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const seen: string[] = [];
    const note = (request: { url(): string; method(): string }) => {
      const { pathname, search } = new URL(request.url());
      // The stream has no end, and the header reads status and alerts on every screen.
      const isOwn = request.method() === 'GET' && pathname.startsWith('/api/') && pathname !== '/api/v1/events/stream';
      if (isOwn && (view.path === '/' || !/^\/api\/v1\/(?:status|alerts)$/.test(pathname)))
        seen.push(pathname + search);
    };
    page.on('request', note);
    opened.push(await page.evaluate<{ ms: number; heldMs: number }>(openView(view)));
    page.off('request', note);
    reads = [...new Set(seen)];
  }
  const headers = { authorization: `Bearer ${key}` };
  const read = async (path: string) => {
    const answer = await fetch(url + path, { headers });
    await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  };
  const repeat = async (work: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await timeOf(work));
    return median(times);
  };
  const alone: number[] = [];
  for (const path of reads) alone.push(await repeat(() => read(path)));
  const apiMs = await repeat(() => Promise.all(reads.map(read)));
  const [pageMs, heldMs] = [median(opened.map(({ ms }) => ms)), median(opened.map((each) => each.heldMs))];
  return { pageMs, heldMs, apiMs, slowestMs: Math.max(0, ...alone), reads };
}

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

const policies = 20;

/** Policies that note, and named budgets of all agents. */
export async function makeDocuments(url: string, key: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok && answer.status !== 409) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  for (let at = 0; at < policies; at += 1) {
    const models = { deny: [`model-${at}`] };
    await post('/api/v1/policies', { name: `policy-${at}`, mode: 'observe', models });
    await post('/api/v1/budgets', {
      name: `budget-${at}`,
      amount: 100 + at,
      window: 'month',
      split_by: at % 2 ? 'agent' : 'none',
    });
  }
}

/** Refused requests of the last days, singly, of the first agents. */
export async function fillRefusals(pool: Pool, count: number, now: number): Promise<void> {
  await pool.query(
    `INSERT INTO refused_requests (id, agent_id, reason, rule, decision, request_id, source_ip, provider, path)
     SELECT (lpad(to_hex($1::bigint - n * 1000), 12, '0') || '7000a' || lpad(to_hex(n), 15, '0'))::uuid, agents.ids[1 + n % 100],
       (ARRAY['agent_blocked', 'rate_limited', 'agent_budget_exceeded', 'policy_denied'])[1 + n % 4],
       CASE WHEN n % 4 = 3 THEN 'policy-' || n % ${policies} || ' models: denied' END,
       CASE WHEN n % 4 = 3 THEN jsonb_build_array(jsonb_build_object('policy', 'policy-' || n % ${policies}, 'rule', 'models')) END, 'req_' || md5(n::text), '10.0.0.1', 'openai',
       '/v1/chat/completions'
     FROM generate_series(1, $2::integer) AS n, (SELECT array_agg(id) AS ids FROM (SELECT id FROM agents LIMIT 100) AS chosen) AS agents
     ON CONFLICT DO NOTHING`,
    [now, count],
  );
  await pool.query(
    `INSERT INTO hourly_decisions (hour, policy, rule, action, shard, event_count)
     SELECT date_trunc('hour', to_timestamp($1 / 1000.0)) - n * interval '1 hour', 'policy-' || at, '', 'refuse', 0, 1 + n
     FROM generate_series(0, 335) AS n, generate_series(0, ${policies - 1}) AS at ON CONFLICT DO NOTHING`,
    [now],
  );
}
