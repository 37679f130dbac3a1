import { randomUUIDv7 } from 'node:crypto';
import { auditListSchema, eventListSchema, refusalListSchema } from '@agp/core/contracts';
import type { EventTool } from '@agp/core/events';
import { addRefusals } from '@agp/db';
import { agentToolListSchema, policyListSchema, previewSchema, storedPolicySchema } from '@agp/policy';
import { expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
const dayMs = 86_400_000;
const before = (ms: number) => new Date(Date.now() - ms).toISOString();

async function makePolicy(name: string) {
  const response = await management.send('POST', '/api/v1/policies', { name, models: { allow: ['gpt-5-mini'] } });
  return storedPolicySchema.parse(await response.json());
}

test('policies have what they refused and noted in the last day, each event once', async () => {
  await makePolicy('hit');
  await makePolicy('hit-not');
  const agent = await seedAgent(management.database, 'hits');
  const decided = (policy: string, rule: string) => ({ policy, version: 1, rule, action: 'observe' as const });
  const decision = [decided('hit', 'models'), decided('hit', 'hours'), decided('gone', 'models')];
  await seedEvents(management.database, [
    makeEvent(agent, 'ses_hits', before(2 * dayMs), { decision }),
    makeEvent(agent, 'ses_hits', before(60_000), { decision }),
    makeEvent(agent, 'ses_hits', before(30_000), { decision: decision.slice(0, 1) }),
    makeEvent(agent, 'ses_hits', before(20_000)),
  ]);
  const refuse = (...rules: string[]) => {
    const decision = rules.map((each) => ({ policy: each.split(' ')[0] ?? '', rule: each.split(' ')[1] ?? '' }));
    return {
      ...{
        id: randomUUIDv7(),
        agentId: null,
        reason: 'policy_denied',
        requestId: 'r',
        sourceIp: '::1',
        provider: null,
      },
      ...{ path: null, rule: `${rules[0]}: why`, decision, told: null, count: 1, added: 1 },
    };
  };
  const requests = [
    refuse('hit models', 'hit tools.client'),
    { ...refuse('hit models'), count: 130, added: 130 },
    refuse('gone models', 'hit hours'),
    { ...refuse(), reason: 'agent_blocked', rule: null, decision: null },
  ];
  const now = Date.now();
  const count = { minute: now, agentId: null, reason: 'policy_denied', count: 5, sourceIp: '::1', refusedAt: now };
  await addRefusals(management.database.pool, [{ ...count, requests }]);
  const listed = await management.read('/api/v1/policies?expand=hits', policyListSchema);
  const since = new Date(Math.floor(Date.now() / 3_600_000 - 24) * 3_600_000).toISOString();
  const by = (rule: string, action: string, requests: number) => ({ rule, action, requests });
  const named = Object.fromEntries(listed.map(({ policy, hits }) => [policy.name, hits]));
  expect(named['hit-not']).toEqual({ since, refused: 0, noted: 0, by: [] });
  expect(named.hit).toEqual({
    ...{ since, refused: 132, noted: 2 },
    by: [
      ...[by('hours', 'observe', 1), by('hours', 'refuse', 1), by('models', 'observe', 2), by('models', 'refuse', 131)],
      by('tools.client', 'refuse', 1),
    ],
  });
  // Each figure is as long as its list.
  const sum = async (query: string) => {
    const rows = await management.read(`/api/v1/refusals?from=${since}&${query}`, refusalListSchema);
    return rows.reduce((total, row) => total + row.count, 0);
  };
  expect([await sum('policy=hit'), await sum('policy=hit&rule=models'), await sum('rule=hours')]).toEqual([
    132, 131, 1,
  ]);
  const find = async (query: string) =>
    (await management.read(`/api/v1/events?from=${since}&${query}`, eventListSchema)).length;
  expect([await find('policy=hit'), await find('policy=hit&rule=hours&decision=observe')]).toEqual([2, 1]);
  expect([await find('policy=hit&decision=warn'), await find('rule=models&policy=gone')]).toEqual([0, 1]);
  await management.refuse(
    await management.call('/api/v1/events?decision=block'),
    400,
    'decision: must be one of observe, warn, lower, strip, redact, flag, cut, excepted',
  );
  const [plain] = await management.read('/api/v1/policies', policyListSchema);
  expect(plain).not.toHaveProperty('hits');
});

test('the audit log gives the changes of one policy', async () => {
  const one = await makePolicy('audited');
  await makePolicy('audited-too');
  await management.send('PUT', `/api/v1/policies/${one.id}`, { ...one.policy, mode: 'enforce' });
  await management.call(`/api/v1/policies/${one.id}`, { method: 'DELETE' });
  const read = (query: string) => management.read(`/api/v1/audit?${query}`, auditListSchema);
  const entries = await read(`policy_id=${one.id}`);
  expect(entries.map(({ action, target }) => ({ action, target }))).toEqual(
    ['policy.delete', 'policy.update', 'policy.create'].map((action) => ({ action, target: one.id })),
  );
  expect(entries[1]).toMatchObject({ before: { version: 1 }, after: { version: 2, policy: { mode: 'enforce' } } });
  expect(await read('policy_id=pol_')).toEqual([]);
  expect(await read(`policy_id=${one.id.replace(/.$/, '_')}`)).toEqual([]);
});

test('an agent has the tools that it declared and called, first and last seen, and all agents have theirs', async () => {
  const agent = await seedAgent(management.database, 'with-tools');
  const shell: EventTool = { kind: 'client', names: ['functions.shell', 'shell'] };
  const search: EventTool = { kind: 'hosted', names: ['web_search'] };
  const times = [before(31 * dayMs), before(3 * dayMs), before(dayMs), before(60_000), before(1_000)];
  const tools = [
    { declared: [{ kind: 'client' as const, names: ['long_ago'] }], called: [], more: 0 },
    { declared: [shell, search], called: [], more: 0 },
    { declared: [shell], called: [shell, shell], more: 0 },
    { declared: null, called: [], more: 0 },
    null,
  ];
  await seedEvents(
    management.database,
    times.map((time, index) => makeEvent(agent, 'ses_tools', time, { tools: tools[index] ?? null })),
  );
  await seedEvents(management.database, [
    makeEvent(await seedAgent(management.database, 'other'), 'ses_o', times[4] ?? '', { tools: tools[0] ?? null }),
  ]);
  expect(await management.read(`/api/v1/agents/${agent}/tools`, agentToolListSchema)).toEqual([
    {
      kind: 'client',
      name: 'functions.shell',
      declared: 2,
      called: 1,
      first_seen_at: times[1],
      last_seen_at: times[2],
    },
    { kind: 'hosted', name: 'web_search', declared: 1, called: 0, first_seen_at: times[1], last_seen_at: times[1] },
  ]);
  const all = await management.read('/api/v1/policies/tools', agentToolListSchema);
  expect(all.map(({ name }) => name)).toEqual(['functions.shell', 'long_ago', 'web_search']);
  const unknown = await management.call('/api/v1/agents/agt_x/tools');
  await management.refuse(unknown, 404, 'agent not found');
});

test('a name is of one policy, also if many take it at once, and an unknown policy is unknown', async () => {
  const made = await Promise.all(
    Array.from({ length: 5 }, () => management.send('POST', '/api/v1/policies', { name: 'wanted' })),
  );
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  const others = await Promise.all(['first', 'second', 'third'].map(makePolicy));
  const renamed = await Promise.all(
    others.map(({ id }) => management.send('PUT', `/api/v1/policies/${id}`, { name: 'renamed' })),
  );
  expect(renamed.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  const [{ id = '' } = {}] = others;
  expect((await management.call(`/api/v1/policies/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await management.send('PUT', `/api/v1/policies/${id}`, { name: 'wanted' })).status).toBe(404);
});

test('a label by which a policy chooses agents is changed by an admin alone, as the policy is', async () => {
  const made = await management.send('POST', '/api/v1/keys', { name: 'writer', scopes: ['write'] });
  const { secret } = (await made.json()) as { secret: string };
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const id = await seedAgent(management.database, 'chosen');
  const put = (body: object) =>
    management.call(`/api/v1/agents/${id}`, { method: 'PUT', headers, body: JSON.stringify(body) });
  expect((await put({ labels: { team: 'interns', owner: 'a' } })).status).toBe(200);
  const match = { labels: { team: ['interns'] }, not: { tags: ['bank'] } };
  const policy = await management.send('POST', '/api/v1/policies', { name: 'by-label', match });
  for (const [body, label] of [
    [{ labels: { team: 'staff' } }, 'team'],
    [{ metadata: { owner: 'a' } }, 'team'],
    [{ labels: { compliance_tag: 'bank' } }, 'compliance_tag'],
  ] as const)
    await management.refuse(
      await put(body),
      403,
      `API key lacks scope admin: policy by-label is for agents by their label ${label}`,
    );
  for (const body of [{ labels: { owner: 'b', team: 'interns' } }, { status: 'blocked' }])
    expect((await put(body)).status).toBe(200);
  const { id: policyId } = (await policy.json()) as { id: string };
  await management.call(`/api/v1/policies/${policyId}`, { method: 'DELETE' });
  expect((await put({ labels: { team: 'staff' } })).status).toBe(200);
});

test("an exception says who made it and when, whatever its client says, and a label in it is an admin's", async () => {
  const exception = (reason: string) => ({ match: { labels: { excused: ['yes'] } }, until: '2027-01-01', reason });
  const forged = { by: 'somebody', at: '2020-01-01T00:00:00.000Z' };
  const signed = { by: 'bootstrap', at: expect.stringMatching(/^2\d{3}-.*Z$/) };
  const send = async (method: 'POST' | 'PUT', path: string, exceptions: object[]) => {
    const answer = await management.send(method, `/api/v1/policies${path}`, { name: 'excepting', exceptions });
    return storedPolicySchema.parse(await answer.json());
  };
  const made = await send('POST', '', [{ ...exception('one'), ...forged }]);
  expect(made.policy.exceptions).toEqual([{ ...exception('one'), ...signed }]);
  const [first = {}] = made.policy.exceptions ?? [];
  const changed = await send('PUT', `/${made.id}`, [exception('two'), { ...exception('one'), ...forged }]);
  expect(changed.policy.exceptions).toEqual([{ ...exception('two'), ...signed }, first]);
  const key = await management.send('POST', '/api/v1/keys', { name: 'excuser', scopes: ['write'] });
  const { secret } = (await key.json()) as { secret: string };
  const put = await management.call(`/api/v1/agents/${await seedAgent(management.database, 'excused')}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ labels: { excused: 'yes' } }),
  });
  await management.refuse(put, 403, 'API key lacks scope admin: policy excepting is for agents by their label excused');
  await management.call(`/api/v1/policies/${made.id}`, { method: 'DELETE' });
});

test('a policy keeps its text in YAML until JSON says something else', async () => {
  const send = async (method: string, path: string, body: string, type: string) =>
    management.call(`/api/v1/policies${path}`, { method, body, headers: { 'content-type': type } });
  const yaml =
    '# Why.\nname: commented # here\nexceptions:\n  - { match: { agents: [a] }, until: 2027-01-01, reason: x }\n';
  const made = storedPolicySchema.parse(await (await send('POST', '', yaml, 'application/yaml')).json());
  expect(made).toMatchObject({ text: yaml, policy: { mode: 'observe', exceptions: [{ by: 'bootstrap' }] } });
  const put = async (body: string, type: string) =>
    storedPolicySchema.parse(await (await send('PUT', `/${made.id}`, body, type)).json()).text;
  expect(await put(JSON.stringify(made.policy), 'application/json')).toBe(yaml);
  expect(await put(JSON.stringify({ ...made.policy, mode: 'warn' }), 'application/json')).toBeNull();
  expect(await put(`${yaml}mode: warn\n`, 'application/yaml; charset=utf-8')).toBe(`${yaml}mode: warn\n`);
  const audit = await management.read(`/api/v1/audit?policy_id=${made.id}`, auditListSchema);
  expect(audit.map(({ before, after }) => [before, after].some((each) => each && 'text' in each))).toEqual([
    ...[false, false, false, false],
  ]);
  for (const [body, message] of [
    ['name: x\nmodels: { allow: 1 }\n', 'line 2: models.allow: is missing, or of another type'],
    ['name: x\nmodels: {\n', /^line 3: /],
    ['# '.repeat(40_000), 'line 1: must be no longer than 65536 characters'],
    ['name: \u0000', 'line 1: must not hold NUL'],
  ] as const)
    await management.refuse(await send('PUT', `/${made.id}`, body, 'application/yaml'), 400, message);
  await management.refuse(await send('PUT', '/../keys', yaml, 'application/yaml'), 405, /method/);
  const other = await management.call('/api/v1/keys', {
    ...{ method: 'POST', body: 'name: x', headers: { 'content-type': 'application/yaml' } },
  });
  await management.refuse(other, 415, 'content type must be application/json');
  await management.call(`/api/v1/policies/${made.id}`, { method: 'DELETE' });
});

test('a preview warns of agents by a name that anybody may take', async () => {
  await seedAgent(management.database, 'unclaimed');
  await management.send('POST', '/api/v1/agent-tokens', { agent_name: 'token-holder' });
  const policies = [{ name: 'by-name', match: { not: { agents: ['token-holder', 'build-*'] } } }];
  const answer = await management.send('POST', '/api/v1/policies/preview', { policies });
  expect(previewSchema.parse(await answer.json()).warnings).toEqual([
    expect.stringMatching(/^by-name: it goes by agents' names \(build-\*\), which under AGENT_IDENTITY=open/),
  ]);
});

test('a preview goes by the labels that events recorded, whatever an agent has since', async () => {
  const agent = await seedAgent(management.database, 'moved');
  await seedEvents(management.database, [
    makeEvent(agent, 'ses_moved', before(60_000), { labels: { team: 'interns' } }),
    makeEvent(agent, 'ses_moved', before(50_000)),
  ]);
  await management.send('PUT', `/api/v1/agents/${agent}`, { labels: { team: 'staff' } });
  const preview = async (team: string) => {
    const policies = [
      { name: team, match: { labels: { team: [team] }, agents: ['moved'] }, providers: { allow: ['nobody'] } },
    ];
    const answer = await management.send('POST', '/api/v1/policies/preview', { policies });
    return previewSchema.parse(await answer.json()).refused;
  };
  expect([await preview('interns'), await preview('staff')]).toEqual([1, 0]);
});

test('a preview warns of names that nothing has, and of an end that has passed', async () => {
  const policies = [
    {
      ...{ name: 'typo', operations: { deny: ['image'] }, providers: { allow: ['openai', 'antropic'] } },
      until: '2020-01-01',
    },
  ];
  const answer = await management.send('POST', '/api/v1/policies/preview', { policies });
  expect(previewSchema.parse(await answer.json()).warnings).toEqual([
    'typo: it ended 2020-01-01, so it decides nothing',
    'typo: no provider is named antropic',
    'typo: no operation is named image',
  ]);
});

test('characters that control a terminal stand in JSON by number, in tools and in events', async () => {
  const agent = await seedAgent(management.database, 'hidden');
  const tool: EventTool = { kind: 'client', names: ['a\u001b[2J\u202ebc\u200b'] };
  await seedEvents(management.database, [
    makeEvent(agent, 'ses_hidden', before(1_000), { tools: { declared: [tool], called: [], more: 0 } }),
  ]);
  const [event] = (await (await management.call(`/api/v1/agents/${agent}/events`)).json()) as { id: string }[];
  for (const path of [
    `/api/v1/agents/${agent}/tools`,
    `/api/v1/events/${event?.id}/detail`,
    `/api/v1/agents/${agent}/events`,
  ]) {
    const text = await (await management.call(path)).text();
    expect(text).not.toMatch(/\p{C}/u);
    if (!path.endsWith('/events')) expect(text).toContain(String.raw`a\u001b[2J\u202ebc\u200b`);
  }
});
