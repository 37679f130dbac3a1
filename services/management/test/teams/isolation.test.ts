import { beforeAll, describe, expect, test } from 'vitest';
import { isInEdition, type Route } from '../../src/define-route.ts';
import { listRoutes } from '../../src/routes/index.ts';
import { documentsOf, idsOf, type SeededAgent, seededAgents, seededAt, seedTeams } from '../support/seed-teams.ts';
import { shareTestManagement, type TestManagement } from '../support/start-test-management.ts';

/** An installation with two teams and others, and one that is alike for the first team, in which the others never were. */
const [all, alone] = [shareTestManagement(), shareTestManagement()];
const [mine, , theirs, , nobodys] = seededAgents as [SeededAgent, SeededAgent, SeededAgent, SeededAgent, SeededAgent];

const keys = new Map<string, string>();

async function makeKeys(management: TestManagement, of: string): Promise<void> {
  for (const [name, scopes] of Object.entries({ read: ['read'], write: ['read', 'write'], admin: ['admin'] }))
    for (const team of ['a', 'none']) {
      const response = await management.send('POST', '/api/v1/keys', { name, scopes, match: { team } });
      expect(response.status).toBe(201);
      keys.set(`${of} ${team} ${name}`, ((await response.json()) as { secret: string }).secret);
    }
}

beforeAll(async () => {
  await seedTeams(all.database);
  await seedTeams(alone.database, 'a');
  await makeKeys(all, 'all');
  await makeKeys(alone, 'alone');
});

const someTimes = /"(20\d\d-[\d-]+T[\d:.]+Z)"/g;
const hourMs = 3_600_000;

/** Times of the clock are other ones, and so is the place in the log that all share. */
const mask = (text: string) =>
  text
    .replace(someTimes, (whole, time: string) => (Math.abs(Date.now() - Date.parse(time)) < hourMs ? '"now"' : whole))
    .replace(/"seq":\d+/g, '"seq":0')
    .replace(/code=agl_[\w-]+/, 'code=');

async function ask(management: TestManagement, of: string, holder: string, path: string, init: RequestInit = {}) {
  const headers = { ...(init.headers as object), authorization: `Bearer ${keys.get(`${of} ${holder}`)}` };
  const response = await management.call(path, { ...init, headers });
  const shown = ['content-type', 'link', 'etag', 'x-total-count', 'retry-after'].map((name) =>
    response.headers.get(name),
  );
  return {
    status: response.status,
    shown: shown.map((text) => text && mask(`"${text}"`)),
    body: mask(await response.text()),
  };
}

/** What is told in one installation and not in the other. */
async function expectAlike(holder: string, path: string, init: RequestInit = {}): Promise<number> {
  const [one, other] = [await ask(all, 'all', holder, path, init), await ask(alone, 'alone', holder, path, init)];
  expect(one, `${init.method ?? 'GET'} ${path} as ${holder}`).toEqual(other);
  return one.status;
}

const idsOfParameters = ({ team, ...agent }: SeededAgent): Record<string, string[]> => {
  const ids = idsOf({ team, ...agent });
  const { policy, budget } = documentsOf(team);
  return {
    session_id: [ids.session],
    id: [ids.agent, ids.event, ids.lost, ids.session, ids.alert, ids.token, policy, budget],
    name: [agent.name],
  };
};

/** Every id of an agent and its team in every place of a path; those of another kind are unknown there. */
const listPaths = ({ path, params = {} }: Pick<Route, 'path' | 'params'>, agent: SeededAgent): string[] =>
  Object.keys(params).reduce(
    (paths, name) =>
      paths.flatMap((each) => (idsOfParameters(agent)[name] ?? []).map((id) => each.replace(`{${name}}`, id))),
    [path],
  );

const { event, session, refusal } = idsOf(theirs);
/** Values that would tell of others if a filter, cursor or order looked at them. */
const queryValues: Record<string, string[]> = {
  agent_id: [idsOf(mine).agent, idsOf(theirs).agent, idsOf(nobodys).agent],
  session_id: [idsOf(mine).session, session],
  search: ['finder', 'of-b', 'owner'],
  label: ['team=b', 'team', 'owner', 'team=a'],
  limit: ['1', '2', '200'],
  offset: ['1', '3'],
  cursor: [event, refusal, session, idsOf(mine).event, idsOf(mine).refusal],
  order: ['name', 'cost', 'seen', 'use', 'created', 'capped'],
  expand: ['usage', 'outcome', 'agent', 'hits'],
  total: ['true'],
  status: ['active', 'blocked'],
  state: ['open', 'resolved'],
  group_by: ['agent', 'model', 'label:owner', 'hour,tag', 'day,agent', 'provider'],
  from: [new Date(seededAt - hourMs).toISOString(), '30d'],
  to: [new Date(seededAt + hourMs).toISOString()],
  pii_type: ['email', 'iban'],
  model: ['model-1', 'model-3'],
  provider: ['openai'],
  policy: ['b.rules', 'all.rules'],
  policy_id: [documentsOf('b').policy, documentsOf(null).policy],
  request_id: ['req-1', 'req-3'],
  reason: ['agent_blocked'],
  action: ['pause.set', 'agent.update'],
  capped: ['true'],
  request_sha256: ['1'.repeat(64), '3'.repeat(64)],
};

function listQueries({ query }: Route): string[] {
  const singles = Object.keys(query?.shape ?? {}).flatMap((name) =>
    (queryValues[name] ?? []).map((value) => `?${new URLSearchParams({ [name]: value })}`),
  );
  return ['', ...singles];
}

const routes = listRoutes().filter((route) => route.scope !== null && isInEdition(route, { edition: 'extended' }));
const reads = routes.filter(({ method, answer }) => method === 'get' && answer.contentType !== 'text/event-stream');
const changes = routes.filter(({ method }) => method !== 'get');
const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;

describe('what a team reads is what it would read if there were no other', () => {
  test.each(reads.map((route) => [nameOf(route), route] as const))('%s', async (_name, route) => {
    const paths = [...new Set([mine, theirs, nobodys].flatMap((agent) => listPaths(route, agent)))];
    const statuses = new Set<number>();
    for (const path of paths)
      for (const query of paths.length > 3 ? listQueries(route).slice(0, 12) : listQueries(route)) {
        statuses.add(await expectAlike('a admin', `${path}${query}`));
        if (query === '') {
          await expectAlike('a read', path);
          await expectAlike('none read', path);
          if (route.answer.csv) await expectAlike('a read', path, { headers: { accept: 'text/csv' } });
        }
      }
    // Else nothing would have been compared.
    if (route.ofInstallation) expect(statuses).toEqual(new Set([403]));
    else expect(statuses).toContain(200);
  });

  test('and that is something', async () => {
    const read = async (path: string) => (await ask(all, 'all', 'a read', path)).body;
    for (const path of [
      '/api/v1/agents',
      '/api/v1/events',
      '/api/v1/costs/breakdown',
      '/api/v1/alerts',
      '/api/v1/refusals',
    ]) {
      expect(await read(path), path).toContain(idsOf(mine).agent);
      expect(await read(path), path).not.toContain(idsOf(theirs).agent);
    }
    expect(JSON.parse(await read('/api/v1/costs/summary'))).toMatchObject({ request_count: 8 });
    expect(JSON.parse(await read('/api/v1/budgets'))).toMatchObject({ global: { daily_cap_usd: null } });
  });
});

const policy = { name: 'a.more', mode: 'observe', models: { deny: ['x'] } };
const budget = { name: 'a.more', amount: 1, window: 'day' };
const bodies: Record<string, unknown[]> = {
  'PUT /api/v1/agents/{id}': [{ status: 'blocked' }, { labels: { team: 'a' } }, { metadata: {} }],
  'PUT /api/v1/budgets/agents/{id}': [{ daily_cap_usd: 1 }],
  'PUT /api/v1/limits/agents/{id}': [{ requests_per_minute: 1 }],
  'PUT /api/v1/policies/{id}': [policy],
  'PUT /api/v1/budgets/{id}': [budget],
  'POST /api/v1/policies/preview': [{ policies: [policy], from: new Date(seededAt - hourMs).toISOString() }],
  'POST /api/v1/budgets/preview': [{ ...budget, split_by: 'agent', window: 'total' }],
  'POST /api/v1/agent-tokens': [
    { agent_name: theirs.name },
    { agent_name: 'never-seen' },
    { agent_name: nobodys.name },
  ],
};

/** All that changes could have changed, but for the log. */
async function readOthers(): Promise<unknown> {
  const read = async (text: string) => (await all.database.pool.query(text)).rows;
  return [
    await read(`SELECT * FROM agents ORDER BY id`),
    await read('SELECT * FROM policies ORDER BY id'),
    await read('SELECT id, name, version, budget FROM budgets ORDER BY id'),
    await read('SELECT * FROM claimed_names ORDER BY name'),
    await read('SELECT id, agent_name FROM agent_tokens ORDER BY id'),
    await read('SELECT * FROM alerts ORDER BY id'),
    await read('SELECT paused, global_cap_usd, default_agent_cap_usd, default_requests_per_minute FROM control'),
    await read('SELECT id, scopes FROM api_keys ORDER BY id'),
  ];
}

describe('what a team changes of others is what it would change if there were none', () => {
  test.each(changes.map((route) => [nameOf(route), route] as const))('%s', async (name, route) => {
    const others = { ...theirs, team: 'b' };
    const paths = route.params ? [others, nobodys].flatMap((agent) => listPaths(route, agent)) : [route.path];
    const before = await readOthers();
    for (const path of paths)
      for (const body of bodies[name] ?? [{}])
        for (const holder of ['a read', 'a write', 'a admin', 'none admin']) {
          const headers = { 'content-type': 'application/json' };
          const init = { method: route.method.toUpperCase(), headers, body: JSON.stringify(body) };
          const status = await expectAlike(holder, path, route.method === 'delete' ? { method: 'DELETE' } : init);
          if (!route.isRead && name !== 'POST /api/v1/console/links') expect(status, path).toBeGreaterThanOrEqual(400);
        }
    expect(await readOthers()).toEqual(before);
  });
});
