import type { Asked, EventTool } from '@agp/core/events';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { finish } from '../test/steps.ts';
import type { RecordedCall } from './facts.ts';
import { Replay } from './replay.ts';
import { policySchema } from './schema.ts';

type Given = Omit<z.input<typeof policySchema>, 'name'>;

const asked: Asked = {
  operations: ['chat.completions', 'chat'],
  models: ['gpt-5'],
  output_tokens: 100,
  input_bytes: 1_000,
  nano_usd: 1_000_000,
};
const usual: RecordedCall = {
  ...{ event_id: 'evt_1', session_id: 'ses_1', agent_id: 'agt_1', agent_name: 'worker', labels: { team: 'interns' } },
  ...{ timestamp: '2026-11-26T12:30:00.000Z', tag: 'default', provider: 'openai', model: 'gpt-5' },
  ...{ asked, tools: null, decision: null, pii: { types: [], findings: [], isFull: true } },
};
const shell: EventTool = { kind: 'client', names: ['n.shell', 'shell'] };
const server: EventTool = { kind: 'remote_mcp', names: ['mcp.example.com'] };

function replay(given: Given[], calls: Partial<RecordedCall>[]) {
  const policies = given.map((policy, index) => policySchema.parse({ name: `p${index}`, ...policy }));
  const tried = finish(Replay.of(policies, new Date('2026-11-26')));
  for (const call of calls) finish(tried.add({ ...usual, ...call }));
  return finish(tried.end());
}

const deny = (...names: string[]): Given => ({ models: { deny: names } });

test('requests are counted by rule, agent, model, tool and hour, and the latest are shown', () => {
  const found = replay(
    [
      { match: { labels: { team: ['interns'] } }, ...deny('gpt-*'), tools: { client: { deny: ['shell'] } } },
      { ...deny('gpt-5'), hours: { allow: 'Thu 12:00-13:00', zone: 'UTC' } },
    ],
    [
      { tools: { declared: [shell, server], called: [], more: 0 } },
      { event_id: 'evt_2', model: 'gpt-5-mini', asked: { ...asked, models: ['gpt-5-mini'] } },
      { timestamp: '2026-11-26T11:59:00.000Z', model: 'o3', asked: { ...asked, models: ['o3'] }, agent_name: 'other' },
      { model: 'o3', asked: { ...asked, models: ['o3'] } },
    ],
  );
  expect(found).toMatchObject({ requests: 4, refused: 3, agents: 1, cannot_tell: [], never: [], contradictions: [] });
  const share = (name: string, requests: number) => ({ name, requests });
  expect(found.by).toEqual({
    rule: [share('p0 models', 2), share('p0 tools.client', 1), share('p1 hours', 1), share('p1 models', 1)],
    agent: [share('worker', 2), share('other', 1)],
    model: [share('gpt-5', 1), share('gpt-5-mini', 1), share('o3', 1)],
    tool: [share('n.shell', 1)],
    hour: [share('2026-11-26T11:00:00.000Z', 1), share('2026-11-26T12:00:00.000Z', 2)],
    unread: [],
  });
  expect(found.examples.map(({ event_id, policy, rule }) => [event_id, policy, rule])).toEqual([
    ['evt_1', 'p1', 'models'],
    ['evt_1', 'p0', 'models'],
    ['evt_1', 'p0', 'tools.client'],
    ['evt_2', 'p0', 'models'],
    ['evt_1', 'p1', 'hours'],
  ]);
});

const [client, mcp]: Given[] = [{ tools: { client: { deny: ['shell'] } } }, { tools: { remote_mcp: {} } }];
const unread = { declared: null, called: [], more: 3 };

test.each<[string, Given, Partial<RecordedCall>, string[] | 'refused']>([
  ['models that could not be read', deny('o3'), { asked: { ...asked, models: null } }, ['p0 models']],
  [
    'a size that was not known',
    { limits: { max_input_bytes: 1 } },
    { asked: { ...asked, input_bytes: null } },
    ['p0 limits.max_input_bytes'],
  ],
  [
    'a batch whose calls were not read',
    { limits: { max_cost_usd: 1 } },
    { asked: { ...asked, operations: ['messages.batches', 'batches'], nano_usd: 0 } },
    ['p0 limits.max_cost_usd'],
  ],
  [
    'a batch by what its calls may cost',
    { limits: { max_cost_usd: 1 } },
    { asked: { ...asked, operations: ['messages.batches', 'batches'], nano_usd: 2e9 } },
    'refused',
  ],
  [
    'tools of which a rule said that they could not be read',
    client as Given,
    { tools: unread, decision: [{ policy: 'other', version: 1, rule: 'tools.client', action: 'observe' }] },
    'refused',
  ],
  ['tools that could not be read', client as Given, { tools: unread }, ['p0 tools.client']],
  [
    'tools beyond those of the event',
    client as Given,
    { tools: { declared: [server], called: [], more: 1 } },
    ['p0 tools.client'],
  ],
  ['a denied tool among very many', mcp as Given, { tools: { declared: [server], called: [], more: 1 } }, 'refused'],
  [
    'no bound of output',
    { limits: { max_output_tokens: 100 } },
    { asked: { ...asked, output_tokens: null } },
    'refused',
  ],
  [
    'a path that is not known',
    { operations: { allow: ['chat'] } },
    { asked: { ...asked, operations: null } },
    'refused',
  ],
  ['a call of a denied tool', client as Given, { tools: { declared: [], called: [shell], more: 0 } }, 'refused'],
  [
    'a call that is only recorded',
    { tools: { client: { deny: ['shell'] }, on_call: 'record' } },
    { tools: { declared: [], called: [shell], more: 0 } },
    [],
  ],
  ['a dated version of what was asked for', { models: { allow: ['gpt-5'] } }, { model: 'gpt-5-2025-08-07' }, []],
  ['another model that answered', { models: { allow: ['gpt-5'] } }, { model: 'gpt-6' }, 'refused'],
])('%s', (_, policy, call, expected) => {
  const { requests, refused, cannot_tell: doubts } = replay([policy], [call]);
  expect(requests).toBe(1);
  expect(refused === 1 ? 'refused' : doubts.map(({ rule }) => rule)).toEqual(expected);
  for (const doubt of doubts)
    expect(doubt).toMatchObject({ requests: 1, reason: expect.stringMatching(/recorded|read/) });
});

test.each(['refuse', 'allow'] as const)(
  'an event before this release tells provider and hours alone, %s',
  (unreadable) => {
    const rules: Given = {
      ...{ unreadable, models: { allow: ['o3'] }, operations: { deny: ['images'] }, ...client },
      limits: { max_output_tokens: 1, max_input_bytes: 1, max_cost_usd: 0.1 },
    };
    const { refused, cannot_tell: doubts } = replay([rules], [{ asked: null }, { asked: null }]);
    const names = [
      'limits.max_cost_usd',
      'limits.max_input_bytes',
      'limits.max_output_tokens',
      'models',
      'operations',
      'tools.client',
    ];
    expect([refused, doubts.map(({ rule, requests }) => [rule, requests]).sort()]).toEqual([
      0,
      names.map((name) => [`p0 ${name}`, 2]),
    ]);
    expect(replay([{ providers: { deny: ['openai'] } }], [{ asked: null }]).refused).toBe(1);
  },
);

test('policies are tried whatever their mode and end, and say what they never met', () => {
  const found = replay(
    [
      { ...deny('gpt-5'), mode: 'warn', until: '2026-11-01' },
      { match: { tags: ['bank'] }, ...deny('*') },
      { ...deny('o3'), limits: { max_input_bytes: 999 } },
    ],
    [{}],
  );
  expect(found).toMatchObject({
    refused: 1,
    never: [
      { policy: 'p1', rule: null },
      { policy: 'p2', rule: 'models' },
    ],
    contradictions: [],
  });
});

test('examples are of each rule, and of each agent as far as there is room', () => {
  const calls = Array.from({ length: 30 }, (_, at) => ({ agent_id: `agt_${at < 12 ? 0 : at}`, agent_name: `${at}` }));
  const last = { asked: { ...asked, models: ['o3'] }, tools: { declared: [shell], called: [], more: 0 } };
  const { examples } = replay([{ ...deny('gpt-5'), tools: { client: { deny: ['shell'] } } }], [...calls, last]);
  expect(examples.filter(({ rule }) => rule === 'tools.client')).toHaveLength(1);
  expect(new Set(examples.map((each) => each.agent_id)).size).toBe(10);
});

test('names that no request had are told, by policy and rule', () => {
  const given: Given[] = [
    {
      match: {
        agents: ['wor*', 'nobody'],
        labels: { team: ['interns', 'x*'] },
        not: { providers: ['OpenAI', 'azure'] },
      },
      models: { allow: ['gpt-5', 'gpt5-mini', 'o*'], deny: ['claude-*'] },
      tools: { client: { deny: ['n.*', 'bash'] }, remote_mcp: { hosts: ['*.example.com', '*.example.net'] } },
    },
  ];
  const tools = { declared: [shell], called: [server], more: 0 };
  const { unseen } = replay(given, [{ tools, model: 'gpt-5-2025-08-07', asked: { ...asked, models: ['o3'] } }]);
  expect(unseen.map(({ policy, rule, name }) => `${policy} ${rule} ${name}`)).toEqual([
    ...['p0 match nobody', 'p0 match team=x*', 'p0 match azure', 'p0 models gpt5-mini', 'p0 models claude-*'],
    ...['p0 tools.client bash', 'p0 tools.remote_mcp *.example.net'],
  ]);
  expect(replay(given, []).unseen).toEqual([]);
  const many = Array.from({ length: 1_001 }, (_, at) => ({ agent_name: `a${at}` }));
  expect(replay([{ match: { agents: ['nobody'] } }], many).unseen).toEqual([]);
});

test('what exceptions let pass is counted apart, unless they have ended', () => {
  const exception = { match: { agents: ['worker'] }, reason: 'x' };
  const except = (until: string, rules?: string[]) => ({
    ...deny('gpt-5'),
    exceptions: [{ ...exception, until, ...(rules && { rules }) }],
  });
  const count = (policy: Given) => {
    const { refused, excepted, never } = replay([policy], [{}, { agent_name: 'other' }]);
    return { refused, excepted, never };
  };
  expect(count(except('2026-11-27'))).toEqual({ refused: 1, excepted: 1, never: [] });
  expect(count(except('2026-11-26'))).toEqual({ refused: 2, excepted: 0, never: [] });
  expect(count(except('2026-11-27', ['tools']))).toEqual({ refused: 2, excepted: 0, never: [] });
});

test('lists are bounded, and keep those of most requests and the latest hours', () => {
  const names = Array.from({ length: 800 }, (_, index) => `agent-${String(index).padStart(3, '0')}`);
  const calls = [...names, 'agent-000'].map((agent_name, index) => ({
    agent_name,
    timestamp: new Date(Date.UTC(2026, 10, 26) - index * 3_600_000).toISOString(),
  }));
  const { by, examples } = replay([deny('*')], calls);
  expect([by.agent.length, by.hour.length, examples.length]).toEqual([20, 744, 10]);
  expect(by.agent[0]).toEqual({ name: 'agent-000', requests: 2 });
  expect(by.hour.at(-1)?.name).toBe('2026-11-26T00:00:00.000Z');
});

test('what was recorded tells where a request went and what kept it; older records cannot', () => {
  const where = { geo: ['eu' as const], store: false as const };
  const unread = 'the member "x"';
  const found = replay(
    [{ where }],
    [
      { asked: { ...asked, geo: 'eu', stores: false } },
      { asked: { ...asked, geo: 'us', stores: 'a batch' } },
      { asked: { ...asked, geo: null, stores: null } },
      { asked: { ...asked, geo: null, stores: null, unread } },
      {},
      { asked: { ...asked, unread } },
      { asked: null },
    ],
  );
  expect(found).toMatchObject({ requests: 7, refused: 3 });
  expect(found.by.rule).toEqual(['p0 where.geo', 'p0 where.store'].map((name) => ({ name, requests: 3 })));
  expect(found.cannot_tell).toEqual([
    { rule: 'p0 where.geo', requests: 3, reason: 'where it is processed is not recorded' },
    { rule: 'p0 where.store', requests: 3, reason: 'whether the provider keeps it is not recorded' },
  ]);
});

test('personal data of the past is judged by direction, and what was not searched or has no place is in doubt', () => {
  const found = (where: 'request' | 'response', type: string) => ({ in: where, message: 0, type });
  const email = { types: ['email'], findings: [found('request', 'email')], isFull: true };
  const calls = [
    { pii: email },
    { pii: { ...email, findings: [found('response', 'email')] } },
    { pii: { ...email, findings: [] } },
    { pii: { ...email, findings: [], types: ['iban'] } },
    { pii: { types: [], findings: [], isFull: false } },
    { pii: { ...email, isFull: false } },
    {},
  ];
  const tell = (policy: Given) => {
    const { refused, flagged, cannot_tell: doubt, never } = replay([policy], calls);
    return [refused, flagged, doubt.map(({ rule, requests }) => `${rule} ${requests}`), never.length];
  };
  expect(tell({ pii: { request: { email: 'block' } } })).toEqual([2, 0, ['p0 pii.request 2'], 0]);
  expect(tell({ pii: { response: { contact: 'redact' } } })).toEqual([1, 0, ['p0 pii.response 3'], 0]);
  expect(tell({ pii: { request: { email: 'flag' } } })).toEqual([0, 2, ['p0 pii.request 3'], 0]);
  expect(tell({ pii: { request: { phone: 'block' } } })).toEqual([0, 0, ['p0 pii.request 2'], 1]);
  const patterns = [{ name: 'staff_id', pattern: 'E[0-9]{6}', matches: ['E123456'], ignores: ['E12'] }];
  expect(tell({ pii: { request: { staff_id: 'block', email: 'block' }, patterns } })).toEqual([
    ...[2, 0, ['p0 pii.request 5'], 0],
  ]);
  expect(tell({ check: { url: 'https://check.example', response: true } })).toEqual([
    ...[0, 0, ['p0 check.request 7', 'p0 check.response 7'], 2],
  ]);
});

test('a call that ran no model, such as a list of models, is refused by no rule of models', () => {
  const call = { model: 'unknown', asked: { ...asked, operations: ['models'], models: [] } };
  expect(replay([{ models: { allow: ['gpt-5'] } }, deny('*')], [call])).toMatchObject({ requests: 1, refused: 0 });
});
