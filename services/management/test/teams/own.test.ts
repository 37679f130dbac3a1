import { randomUUIDv7 } from 'node:crypto';
import { toAnnouncedEvent } from '@agp/core/events';
import { toPublicId, uuidOf } from '@agp/core/ids';
import { addRefusals, endBlocks } from '@agp/db';
import { eventually } from '@agp/testing';
import { insertAlert } from '@agp/testing/events';
import { beforeAll, describe, expect, test } from 'vitest';
import { startAnnouncer } from '../support/announcer.ts';
import { makeEvent } from '../support/make-event.ts';
import { openStream } from '../support/open-stream.ts';
import {
  documentsOf,
  idsOf,
  type SeededAgent,
  seededAgents,
  seededAt,
  seededUuid,
  seedTeams,
} from '../support/seed-teams.ts';
import { shareTestManagement } from '../support/start-test-management.ts';

const management = shareTestManagement();
const [mine, other, theirs] = seededAgents as [SeededAgent, SeededAgent, SeededAgent];
let [team, installation] = ['', ''];

async function makeKey(body: object): Promise<string> {
  const made = await management.send('POST', '/api/v1/keys', { name: 'k', scopes: ['admin'], ...body });
  return `Bearer ${((await made.json()) as { secret: string }).secret}`;
}

beforeAll(async () => {
  await seedTeams(management.database);
  team = await makeKey({ match: { team: 'a' } });
  installation = await makeKey({});
});

const as = (authorization: string, method: string, path: string, body?: unknown) =>
  body === undefined
    ? management.call(path, { method, headers: { authorization } })
    : management.send(method, path, body, { authorization });
const read = async (authorization: string, path: string) => (await as(authorization, 'GET', path)).json();
const notOurs = 'not of the team that the key or session is for';

describe('a team', () => {
  test('blocks and caps its agents, and labels them, as long as they stay its own', async () => {
    const path = `/api/v1/agents/${mine.id}`;
    expect((await as(team, 'PUT', path, { status: 'blocked', labels: { owner: 'ada' } })).status).toBe(200);
    expect((await as(team, 'PUT', `/api/v1/budgets/agents/${mine.id}`, { daily_cap_usd: 7 })).status).toBe(200);
    expect(await read(installation, path)).toMatchObject({ status: 'blocked', metadata: { team: 'a', owner: 'ada' } });
    for (const body of [{ labels: { team: 'b' } }, { labels: { team: null } }, { metadata: { owner: 'ada' } }])
      await management.refuse(await as(team, 'PUT', path, body), 403, notOurs);
    expect(await read(installation, path)).toMatchObject({ metadata: { team: 'a', owner: 'ada' } });
  });

  test('sees who changed its agents, and none of what others did', async () => {
    const entries = (await read(team, '/api/v1/audit')) as { actor: object; target: string | null; action: string }[];
    expect(entries.map(({ action, target }) => [action, target])).toEqual([
      ['budget.agent.set', mine.id],
      ['agent.update', mine.id],
    ]);
  });

  test('makes policies for its agents alone, and none that looks like of others', async () => {
    const policy = { name: 'a.no-shell', match: { agents: ['finder*'] }, models: { deny: ['gpt-4o'] } };
    const made = await as(team, 'POST', '/api/v1/policies', policy);
    expect(made.status).toBe(201);
    const stored = (await made.json()) as { id: string; policy: object; team: object };
    expect(stored).toMatchObject({
      team: { team: 'a' },
      policy: { match: { agents: ['finder*'], labels: { team: ['a'] } } },
    });
    const refused = async (change: object, error: string) =>
      management.refuse(await as(team, 'PUT', `/api/v1/policies/${stored.id}`, { ...policy, ...change }), 400, error);
    await refused({ name: 'no-shell' }, 'name: must begin with a., for the team team=a');
    await refused({ match: { labels: { team: ['b'] } } }, 'match.labels.team: must be a, for the team team=a');
    expect((await as(team, 'DELETE', `/api/v1/policies/${stored.id}`)).status).toBe(204);
    const log = (await read(team, `/api/v1/audit?policy_id=${stored.id}`)) as { action: string }[];
    expect(log.map(({ action }) => action)).toEqual(['policy.delete', 'policy.create']);
  });

  test('keeps the text of a policy that names the team itself', async () => {
    const text = 'name: a.written # ours\nmatch:\n  labels:\n    team: [a]\nmodels:\n  deny: [gpt-4o]\n';
    const headers = { authorization: team, 'content-type': 'application/yaml' };
    const made = await management.call('/api/v1/policies', { method: 'POST', headers, body: text });
    expect(await made.json()).toMatchObject({ text, policy: { match: { labels: { team: ['a'] } } } });
  });

  test('is held to the policies of the installation: it sees them, and changes neither them nor what they choose by', async () => {
    const rule = { name: 'restricted', match: { labels: { owner: ['owner-2'] } }, models: { deny: ['gpt-4o'] } };
    const made = (await (await as(installation, 'POST', '/api/v1/policies', rule)).json()) as { id: string };
    const path = `/api/v1/policies/${made.id}`;
    expect(await read(team, path)).toMatchObject({ policy: rule, team: null });
    await management.refuse(await as(team, 'PUT', path, { ...rule, name: 'a.taken' }), 403, notOurs);
    await management.refuse(await as(team, 'DELETE', path), 403, notOurs);
    expect(await read(installation, path)).toMatchObject({ policy: rule });
    await management.refuse(
      await as(team, 'PUT', `/api/v1/agents/${other.id}`, { labels: { owner: 'free' } }),
      403,
      /label owner is one by which others choose agents/,
    );
  });

  test('is told how many of its requests a policy of the installation refused, and of nobody else', async () => {
    const now = Date.now();
    const decision = [{ policy: 'restricted', version: 1, rule: 'models', action: 'refuse' as const }];
    const refuse = ({ id }: SeededAgent, count: number) => ({
      ...{ agentId: uuidOf('agt', id), reason: 'policy_denied', count, minute: now, refusedAt: now, sourceIp: '::1' },
      requests: [
        {
          ...{ id: randomUUIDv7(), agentId: uuidOf('agt', id), reason: 'policy_denied', count, added: count, decision },
          ...{ requestId: 'r', sourceIp: '::1', provider: null, path: null, rule: 'models', told: null },
        },
      ],
    });
    await addRefusals(management.database.pool, [refuse(mine, 3), refuse(theirs, 40)]);
    type Listed = { id: string; policy: { name: string }; hits: object };
    const policies = (await read(team, '/api/v1/policies?expand=hits')) as Listed[];
    const restricted = policies.find(({ policy }) => policy.name === 'restricted');
    expect(restricted?.hits).toMatchObject({
      ...{ refused: 3, noted: 0, by: [{ rule: 'models', action: 'refuse', requests: 3 }] },
    });
    const refusals = `/api/v1/policies/${restricted?.id}/refusals`;
    const own = { team: 'a', agents: 1, refused: 3 };
    expect(await read(team, refusals)).toMatchObject({ refused: 3, teams: [own], unlisted: 0 });
    expect(await read(installation, refusals)).toMatchObject({ refused: 43 });
  });

  test('makes a budget of its agents alone', async () => {
    const made = await as(team, 'POST', '/api/v1/budgets', { name: 'a.month', amount: 50, window: 'total' });
    expect(await made.json()).toMatchObject({
      team: { team: 'a' },
      budget: { match: { labels: { team: ['a'] } } },
    });
    const named = (await read(team, '/api/v1/budgets/list')) as { budget: { name: string } }[];
    expect(named.map(({ budget }) => budget.name)).toEqual(['a.month', 'a.rules']);
    await management.refuse(
      await as(team, 'DELETE', `/api/v1/budgets/${documentsOf(null).budget}`),
      404,
      'budget not found',
    );
  });

  test('makes tokens of its agents', async () => {
    const made = await as(team, 'POST', '/api/v1/agent-tokens', { agent_name: mine.name });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    expect((await as(team, 'DELETE', `/api/v1/agent-tokens/${id}`)).status).toBe(204);
    await management.refuse(
      await as(team, 'POST', '/api/v1/agent-tokens', { agent_name: theirs.name }),
      404,
      'agent not found',
    );
  });

  test('of an agent that moves sees all that it did, or nothing any more', async () => {
    const moves = async (to: string) => as(installation, 'PUT', `/api/v1/agents/${other.id}`, { labels: { team: to } });
    expect((await moves('b')).status).toBe(200);
    expect((await as(team, 'GET', `/api/v1/events/${idsOf(other).event}`)).status).toBe(404);
    expect((await moves('a')).status).toBe(200);
    expect((await as(team, 'GET', `/api/v1/events/${idsOf(other).event}`)).status).toBe(200);
    const log = (await read(team, `/api/v1/audit?agent_id=${other.id}`)) as { after: { metadata: { team: string } } }[];
    expect(log.map(({ after }) => after.metadata.team)).toEqual(['a', 'b']);
  });

  test('lets nothing go on that the installation blocked, and ends its own blocks', async () => {
    const path = `/api/v1/agents/${mine.id}`;
    expect((await as(team, 'PUT', path, { status: 'active' })).status).toBe(200);
    expect((await as(installation, 'PUT', path, { status: 'blocked' })).status).toBe(200);
    const soon = new Date(Date.now() + 60_000).toISOString();
    for (const body of [{ status: 'active' }, { status: 'retired' }, { status: 'blocked', blocked_until: soon }])
      await management.refuse(await as(team, 'PUT', path, body), 403, /blocked by the installation/);
    expect((await as(installation, 'PUT', path, { status: 'active' })).status).toBe(200);
  });

  test('lifts no stop of the installation, whatever it had done itself before', async () => {
    const path = `/api/v1/agents/${mine.id}`;
    const set = async (authorization: string, body: object) => (await as(authorization, 'PUT', path, body)).status;
    const end = async () => {
      await management.database.pool.query('UPDATE agents SET blocked_until = now() WHERE id = $1', [
        uuidOf('agt', mine.id),
      ]);
      await endBlocks(management.database.db);
      return ((await read(installation, path)) as { status: string }).status;
    };
    for (const body of [
      { status: 'blocked' },
      { status: 'blocked', blocked_until: new Date(Date.now() + 60_000).toISOString() },
    ]) {
      expect(await set(team, body)).toBe(200);
      expect(await set(installation, { status: 'blocked' })).toBe(200);
      await management.refuse(await as(team, 'PUT', path, { status: 'active' }), 403, /^blocked by the installation/);
      expect(await set(installation, { status: 'active' })).toBe(200);
      expect(await set(team, body)).toBe(200);
      expect(await set(team, { status: 'active' })).toBe(200);
    }
    expect((await as(installation, 'POST', `${path}/retire`)).status).toBe(200);
    await management.refuse(await as(team, 'PUT', path, { status: 'active' }), 403, /^retired by the installation/);
    expect(await set(team, { status: 'blocked' })).toBe(200);
    await management.refuse(await as(team, 'PUT', path, { status: 'active' }), 403, /^retired by the installation/);
    expect(await end()).toBe('retired');
    expect(await set(installation, { status: 'active' })).toBe(200);
  });

  test('changes no label by which others choose agents, nor hides one behind many', async () => {
    const path = `/api/v1/agents/${mine.id}`;
    await makeKey({ match: { project: 'x' } });
    const budget = { name: 'by-cost-center', amount: 1, window: 'day', split_by: 'label:cost_center' };
    expect((await as(installation, 'POST', '/api/v1/budgets', budget)).status).toBe(201);
    for (const labels of [{ project: 'x' }, { cost_center: 'another' }])
      await management.refuse(await as(team, 'PUT', path, { labels }), 403, /by which others choose agents/);
    const many = Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`l${at}`, 'x']));
    await management.refuse(await as(team, 'PUT', path, { labels: many }), 400, 'labels: must be at most 64');
  });

  test('is told nothing of who has a name', async () => {
    const [own, unit] = ['policies', 'budgets'].map((each) => `/api/v1/${each}`) as [string, string];
    for (const [path, rest] of [
      [own, { models: { deny: ['x'] } }],
      [unit, { amount: 1, window: 'day' }],
    ] as const) {
      const of = { match: { labels: { unit: ['a'] } } };
      expect((await as(installation, 'POST', path, { name: 'a.taken', ...of, ...rest })).status).toBe(201);
      const made = (await (await as(team, 'POST', path, { name: 'a.free', ...rest })).json()) as { id: string };
      const told = 'the name is taken or reserved: choose another';
      await management.refuse(await as(team, 'POST', path, { name: 'a.taken', ...rest }), 409, told);
      await management.refuse(await as(team, 'PUT', `${path}/${made.id}`, { name: 'a.taken', ...rest }), 409, told);
      expect((await as(team, 'DELETE', `${path}/${made.id}`)).status).toBe(204);
    }
  });

  test('writes nothing that is too long once its labels are joined, and no more than its share', async () => {
    const labels = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`l${at}`, ['x']]));
    for (const [path, rest] of [
      ['/api/v1/policies', { models: { deny: ['x'] } }],
      ['/api/v1/budgets', { amount: 1, window: 'day' }],
    ] as const)
      await management.refuse(
        await as(team, 'POST', path, { name: 'a.long', match: { labels }, ...rest }),
        400,
        /at most 100 labels/,
      );
    const make = async (at: number) =>
      (await as(team, 'POST', '/api/v1/policies', { name: `a.of-${at}`, mode: 'observe', models: { deny: ['x'] } }))
        .status;
    const statuses = [];
    for (let at = 0; at < 22; at += 1) statuses.push(await make(at));
    expect(statuses.at(-1)).toBe(409);
    expect(
      (await as(installation, 'POST', '/api/v1/policies', { name: 'of-all', models: { deny: ['x'] } })).status,
    ).toBe(201);
  });

  test('sees an alert of several agents if all are its own', async () => {
    const { pool } = management.database;
    await insertAlert(pool, { title: 'of both', agentIds: [mine.id, other.id] });
    await insertAlert(pool, { title: 'of others too', agentIds: [mine.id, theirs.id] });
    await insertAlert(pool, { title: 'of none' });
    const titles = ((await read(team, '/api/v1/alerts')) as { title: string }[]).map(({ title }) => title);
    expect(titles.filter((title) => title.startsWith('of '))).toEqual(['of both']);
  });

  test('is streamed what its agents do, and alerts of them', async () => {
    await using announcer = await startAnnouncer(management.stack.natsUrl);
    await using all = await openStream(management, '?kinds=events,alerts', {
      headers: { authorization: installation },
    });
    await using own = await openStream(management, '?kinds=events,alerts', { headers: { authorization: team } });
    await using named = await openStream(management, '?expand=agent', { headers: { authorization: team } });
    const idOf = (number: number) => toPublicId('evt', seededUuid(number));
    const of = ({ id, ...agent }: SeededAgent, number: number) =>
      toAnnouncedEvent(
        makeEvent(id, idsOf({ id, ...agent }).session, new Date(seededAt).toISOString(), { id: idOf(number) }),
        `sha256:${'0'.repeat(64)}`,
      );
    await announcer.announce([of(theirs, 1), of(mine, 2), of(theirs, 3)]);
    await announcer.announce([of(theirs, 4), of(other, 5)]);
    // One without an agent ends no stream.
    await management.database.pool.query('UPDATE alerts SET changed_at = clock_timestamp()');
    await insertAlert(management.database.pool, { title: 'of no agent' });
    await eventually(async () => {
      expect(all.text).toContain('agent finder-of-b fails');
      expect(all.text).toContain('of no agent');
      expect(own.text).toContain('agent sorter fails');
      expect(own.text).toContain('of both');
      expect(named.ids).toEqual([idOf(2), idOf(5)]);
    });
    expect(own.ids.filter((id) => id.startsWith('evt_'))).toEqual([idOf(2), idOf(5)]);
    expect(own.text).not.toContain('of others too');
    expect(own.text).not.toContain('of-b');
    expect(own.text).not.toContain('"agent_name"');
    expect(named.text).toContain('"agent_name":"finder"');
  });
});
