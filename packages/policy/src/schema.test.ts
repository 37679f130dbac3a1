import { expect, test } from 'vitest';
import { policySchema } from './schema.ts';

const many = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, at) => make(at));

test.each<[string, object, string | undefined]>([
  ['a pattern of 4 stars', { tools: { client: { deny: ['a*b*c*d*'] } } }, undefined],
  ['a pattern of 5', { tools: { client: { deny: ['a*b*c*d*e*'] } } }, 'may hold at most 4 *'],
  ['20 patterns with stars in the middle', { tools: { client: { deny: many(20, (at) => `a*${at}`) } } }, undefined],
  [
    '21 of them',
    { tools: { remote_mcp: { hosts: many(21, (at) => `a*${at}`) } } },
    'may hold at most 20 patterns with * in the middle or more than once',
  ],
  [
    'any number with one at the beginning or end',
    {
      tools: {
        remote_mcp: { hosts: many(100, (at) => `*.${at}.example`) },
        client: { deny: many(100, (at) => `${at}*`) },
      },
    },
    undefined,
  ],
  [
    'more text than a policy needs',
    { match: { labels: Object.fromEntries(many(20, (at) => [`l${at}`, many(100, () => 'x'.repeat(20))])) } },
    'must be no longer than 32768 characters of JSON',
  ],
])('a policy with %s', (_, members, message) => {
  expect(policySchema.safeParse({ name: 'p', ...members }).error?.issues[0]?.message).toBe(message);
});

test.each<[string, string]>([
  ['{"match":{"not":{}}}', 'match.not: must name agents, labels, tags or providers'],
  ['{"match":{"labels":{}}}', 'match.labels: must hold a label'],
  ['{"match":{"not":{"labels":{"team":[]}}}}', 'match.not.labels.team: must hold a name'],
  ['{"match":{"agents":[]}}', 'match.agents: must hold a name'],
  ['{"models":{"deny":[]}}', 'models.deny: must hold a name'],
  ['{"require":{"guardrail":[]}}', 'require.guardrail: must hold a guardrail'],
  [
    '{"require":{"guardrail":["abc:latest"]}}',
    'require.guardrail.0: must be the id or ARN of a guardrail, such as abc123xyz, also with its version, such as abc123xyz:3',
  ],
  ['{"models":{}}', 'models: must hold allow, deny or both'],
  ['{"where":{}}', 'where: must hold geo, store or both'],
  ['{"where":{"geo":[]}}', 'where.geo: must hold a place'],
  ['{"tools":{}}', 'tools: must hold client, hosted or remote_mcp'],
  ['{"tools":null}', 'tools: Invalid input: expected object, received null'],
  [
    '{"exceptions":[{"match":{},"until":"2027-01-01","reason":"x"}]}',
    'exceptions.0.match: must name agents, labels, tags or providers',
  ],
  [
    '{"exceptions":[{"match":{"agents":["a"]},"until":"soon","reason":"x"}]}',
    'exceptions.0.until: must be a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00+01:00',
  ],
  ['{"match":{"labels":{"__proto__":["x"]}}}', 'match.labels: may not hold a label __proto__'],
])('%s is refused by the member that says nothing', (json, expected) => {
  const { error } = policySchema.safeParse({ name: 'p', ...JSON.parse(json) });
  expect(error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)).toContain(expected);
});

test('a policy without match, or with an empty one, is for every request, and a list may allow nothing', () => {
  for (const members of [{ match: {} }, { models: { allow: [] } }, { tools: { remote_mcp: {} } }])
    expect(policySchema.safeParse({ name: 'p', ...members }).success).toBe(true);
});
