import type { EventTool } from '@agp/core/events';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import {
  ends,
  type Finding,
  isEnforced,
  judgeAnswer,
  judgeBody,
  judgeHead,
  judgeUnread,
  mayEnd,
  PolicyDenied,
  prepareRules,
} from './decide.ts';
import type { CallFacts } from './facts.ts';
import { policySchema } from './schema.ts';

const usual: CallFacts = {
  agent: 'intern-1',
  labels: { team: 'interns' },
  tag: 'default',
  provider: 'openai',
  operations: ['chat.completions', 'chat', 'completions'],
  at: Date.UTC(2026, 10, 26, 12),
  models: ['gpt-5'],
  tools: [],
  output_tokens: 100,
  input_bytes: 1_000,
  nano_usd: 1_000_000,
};

type Given = Omit<z.input<typeof policySchema>, 'name'>;

/** The rules of policies that do not let a call pass. */
function judge(policies: Given[], facts: Partial<CallFacts> = {}): string[] {
  const rules = prepareRules(
    1,
    policies.map((given, index) => ({ version: 1, policy: policySchema.parse({ name: `p${index}`, ...given }) })),
  );
  const call = { ...usual, ...facts };
  const findings = [...judgeHead(rules, call), ...judgeBody(rules, call)];
  return findings.map(({ policy, rule, isUnread }) => `${policy.name} ${rule}${isUnread ? ' unread' : ''}`);
}

const models = { allow: ['gpt-5'] };

test.each<[Given['match'], boolean]>([
  [{}, true],
  [{ agents: ['intern-*'] }, true],
  [{ agents: ['intern'] }, false],
  [{ labels: { team: ['interns', 'others'] } }, true],
  [{ labels: { team: ['interns'], site: ['x'] } }, false],
  [{ labels: { constructor: ['x'] } }, false],
  [{ tags: ['bank'] }, false],
  [{ providers: ['OPENAI'], agents: ['*'] }, true],
  [{ agents: ['intern-*'], providers: ['groq'] }, false],
  [{ not: { agents: ['intern-1'] } }, false],
  [{ not: { agents: ['x', 'Intern-*'] } }, true],
  [{ agents: ['INTERN-1'] }, true],
  [{ not: { agents: ['intern-1'], providers: ['groq'] } }, true],
])('a policy for %j holds: %s', (match, holds) => {
  expect(judge([{ match, models: { deny: ['*'] } }])).toEqual(holds ? ['p0 models'] : []);
});

test('a policy holds until it ends, in UTC', () => {
  const until = (end: string) => judge([{ until: end, models: { deny: ['*'] } }]);
  expect([until('2026-11-26'), until('2026-11-27'), until('2026-11-26T12:00:00Z')]).toEqual([[], ['p0 models'], []]);
  expect(until('2026-11-26T13:00:01+01:00')).toEqual(['p0 models']);
});

const shell: EventTool = { kind: 'client', names: ['n.shell', 'shell'] };
const search: EventTool = { kind: 'hosted', names: ['web_search', 'web_search_20250305'] };
const server: EventTool = { kind: 'remote_mcp', names: ['mcp.example.com'] };
const connector: EventTool = { kind: 'connector', names: ['connector_gmail'] };

test.each<[Given, Partial<CallFacts>, string[]]>([
  [{ models }, {}, []],
  [{ models }, { models: ['GPT-5'] }, []],
  [{ models }, { models: ['gpt-5', 'gpt-6'] }, ['p0 models']],
  [{ models }, { models: null }, ['p0 models unread']],
  [{ models, unreadable: 'allow' }, { models: null }, []],
  [{ models }, { models: [] }, []],
  [{ models: { allow: ['gpt-*'], deny: ['gpt-5'] } }, {}, ['p0 models']],
  [{ models: { allow: [] } }, {}, ['p0 models']],
  ...['openai:gpt-5', 'tensorzero::model_name::openai::gpt-5', 'openai--gpt-5', 'gpt-5@eu', 'gpt-5(high)'].map(
    (model): [Given, Partial<CallFacts>, string[]] => [
      { models: { deny: ['gpt-5'] } },
      { models: [model] },
      ['p0 models'],
    ],
  ),
  [{ providers: { deny: ['openai'] } }, {}, ['p0 providers']],
  [{ operations: { deny: ['chat'] } }, {}, ['p0 operations']],
  [{ operations: { allow: ['unknown'] } }, { operations: null }, []],
  [{ operations: { allow: ['chat'] } }, { operations: null }, ['p0 operations']],
  [{ hours: { allow: 'Thu 12:00-13:00', zone: 'UTC' } }, {}, []],
  [{ hours: { allow: 'Thu 12:00-13:00', zone: 'Europe/Berlin' } }, {}, ['p0 hours']],
  [{ limits: { max_output_tokens: 100 } }, {}, []],
  [{ limits: { max_output_tokens: 99 } }, {}, ['p0 limits.max_output_tokens']],
  [{ limits: { max_output_tokens: 99 } }, { output_tokens: null }, ['p0 limits.max_output_tokens']],
  [{ limits: { max_input_bytes: 999 } }, {}, ['p0 limits.max_input_bytes']],
  [{ limits: { max_input_bytes: 999 } }, { input_bytes: null }, ['p0 limits.max_input_bytes unread']],
  [{ limits: { max_cost_usd: 0.001 } }, {}, []],
  [{ limits: { max_cost_usd: 0.0009 } }, {}, ['p0 limits.max_cost_usd']],
  [{ limits: { max_cost_usd: 9 } }, { nano_usd: null }, ['p0 limits.max_cost_usd unread']],
  [{ limits: { max_cost_usd: 9 }, unreadable: 'allow' }, { nano_usd: null }, []],
  [{ where: { geo: ['eu', 'ch'] } }, { geo: 'ch' }, []],
  [{ where: { geo: ['eu'] } }, { geo: 'us' }, ['p0 where.geo']],
  [{ where: { geo: ['eu'] } }, { geo: null }, ['p0 where.geo']],
  [{ where: { geo: ['eu'] } }, {}, ['p0 where.geo unread']],
  [{ where: { geo: ['eu'] }, unreadable: 'allow' }, { geo: null }, []],
  [{ where: { geo: ['eu'] }, unreadable: 'allow' }, { geo: 'us' }, ['p0 where.geo']],
  [{ where: { store: false } }, { stores: false }, []],
  [{ where: { store: false } }, { stores: 'a batch' }, ['p0 where.store']],
  [{ where: { store: false } }, { stores: null }, ['p0 where.store']],
  [{ where: { store: false } }, {}, ['p0 where.store unread']],
  [{ where: { store: false }, unreadable: 'allow' }, { stores: null }, []],
  [{ where: { store: false }, unreadable: 'allow' }, { stores: 'a batch' }, ['p0 where.store']],
  [{ tools: { client: { deny: ['shell'] } } }, { tools: [shell] }, ['p0 tools.client']],
  [{ tools: { client: { allow: ['n.*'] } } }, { tools: [shell, search, server] }, []],
  [{ tools: { client: { deny: ['shell'] } } }, { tools: null }, ['p0 tools.client unread']],
  [{ tools: { hosted: { allow: [] } } }, { tools: [shell, search] }, ['p0 tools.hosted']],
  [{ tools: { hosted: { allow: ['web_search'] } } }, { tools: [search] }, []],
  [{ tools: { remote_mcp: { hosts: ['*.example.com'] } } }, { tools: [server, shell, search] }, []],
  [{ tools: { remote_mcp: { hosts: ['mcp.example.com'] } } }, { tools: [connector] }, ['p0 tools.remote_mcp']],
  [{ tools: { remote_mcp: {} } }, { tools: [server] }, ['p0 tools.remote_mcp']],
])('%j of a call with %j: %j', (policy, facts, expected) => {
  expect(judge([policy], facts)).toEqual(expected);
});

type Exception = NonNullable<Given['exceptions']>[number];

const denied: Given = {
  mode: 'enforce',
  models: { deny: ['*'] },
  limits: { max_input_bytes: 1 },
  providers: { allow: [] },
};
const all = ['providers', 'models', 'limits.max_input_bytes'];

test.each<[Partial<Exception>, string[]]>([
  [{}, []],
  [{ rules: ['models'] }, ['providers', 'limits.max_input_bytes']],
  [{ rules: ['limits'] }, ['providers', 'models']],
  [{ rules: ['limits.max_input_bytes', 'provider'] }, ['providers', 'models']],
  [{ match: { agents: ['other'] } }, all],
  [{ match: { agents: ['Intern-1'] } }, all],
  [{ match: { agents: ['intern-*'], tags: ['bank'] } }, all],
  // The request is of 12:00:00.
  [{ until: '2026-11-26T12:00:00Z' }, all],
  [{ until: '2026-11-26T13:00:01+01:00' }, []],
])('an exception with %j leaves the rules %j', (given, expected) => {
  const exception = { match: { labels: { team: ['interns'] } }, until: '2026-12-01', reason: 'x', ...given };
  const policy = policySchema.parse({ name: 'p', ...denied, exceptions: [exception] });
  const rules = prepareRules(1, [{ version: 1, policy }]);
  const found = [...judgeHead(rules, usual), ...judgeBody(rules, usual)];
  expect(found.map(({ rule }) => rule)).toEqual(all);
  expect(found.filter(isEnforced).map(({ rule }) => rule)).toEqual(expected);
  const isJudged = expected.includes('models');
  expect(judgeAnswer(rules, { ...usual, model: 'm', called: [] }).map(ends)).toEqual([isJudged]);
  expect([mayEnd(rules, usual), judgeUnread(rules, usual).length]).toEqual([isJudged, isJudged ? 1 : 0]);
});

test('a refusal names the first five rules that it breaks, how many more there are, and what helps', () => {
  const policies = ['a', 'b', 'c'].map((name) => ({
    version: 1,
    policy: policySchema.parse({ name, ...denied, refusal: `ask ${name} about {rule}` }),
  }));
  const rules = prepareRules(1, policies);
  const told = (findings: Finding[]) => PolicyDenied.by(findings)?.message;
  const found = judgeBody(rules, usual);
  expect(told(found.slice(1, 2))).toBe(
    'denied by policy a (rule limits.max_input_bytes): at most 1 bytes of input are allowed; ask a about limits.max_input_bytes',
  );
  expect(told(found)).toMatch(
    /^denied by policy a \(rule models\): [^;]+; also by policy a \(rule limits\S+: [^;]+(; also [^;]+){3}; and 1 more; ask a about models$/,
  );
  expect(PolicyDenied.by(found)?.decidedBy).toMatch(
    /^a models: [^;]+; also a limits\S+: .*; also c models: .*; and 1 more$/,
  );
  expect([PolicyDenied.by(found)?.decision.length, PolicyDenied.by([])]).toEqual([6, undefined]);
});

test('a request passes only if each policy lets it pass', () => {
  expect(judge([{ models }, { models: { deny: ['gpt-5'] } }, { providers: { allow: ['groq'] } }])).toEqual([
    'p2 providers',
    'p1 models',
  ]);
});
