import { auditListSchema } from '@agp/core/contracts';
import { policySchema, previewSchema, triedTextSchema } from '@agp/policy';
import { expect, test } from 'vitest';
import { tryPolicies } from '../src/reads/try-policies.ts';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
const before = (ms: number) => new Date(Date.now() - ms).toISOString();

test('a preview judges personal data that was found then', async () => {
  const agent = await seedAgent(management.database, 'leaking');
  const email = (direction: 'request' | 'response') => ({
    ...{
      pii_scan: 'full' as const,
      pii_types: ['email'],
      pii_findings: [{ in: direction, message: 0, type: 'email' }],
    },
  });
  await seedEvents(management.database, [
    makeEvent(agent, 'ses_leak', before(3_000), email('request')),
    makeEvent(agent, 'ses_leak', before(2_000), email('response')),
    makeEvent(agent, 'ses_leak', before(1_000), { pii_scan: 'partial', pii_types: [], pii_findings: null }),
  ]);
  const pii = { request: { email: 'block' }, response: { email: 'flag' } };
  const policies = [{ name: 'leaks', match: { agents: ['leaking'] }, pii }];
  const answer = await management.send('POST', '/api/v1/policies/preview', { policies });
  const { refused, flagged, by, cannot_tell } = previewSchema.parse(await answer.json());
  expect({ refused, flagged, rules: by.rule }).toEqual({
    ...{ refused: 1, flagged: 1, rules: [{ name: 'leaks pii.request', requests: 1 }] },
  });
  expect(cannot_tell.map(({ rule, requests }) => [rule, requests])).toEqual([
    ['leaks pii.request', 1],
    ['leaks pii.response', 1],
  ]);
});

const send = (body: object) => management.send('POST', '/api/v1/policies/try', body);

test('a text is tried with policies that nobody has stored, and nothing of it is kept', async () => {
  const policies = [{ name: 'mails', pii: { request: { email: 'redact' } } }];
  const tried = await send({ policies, text: 'to ada@example.com' });
  expect(triedTextSchema.parse(await tried.json())).toMatchObject({ sent: 'to [email xxxxx1]', refusal: null });
  const audit = await management.read('/api/v1/audit', auditListSchema);
  expect(JSON.stringify(audit)).not.toContain('ada@');
  expect((await send({ policies, text: 'x'.repeat(65_537) })).status).toBe(400);
  expect((await send({ policies: [], text: '' })).status).toBe(400);
});

test('a search that takes too long ends, and its key has as many as before', async () => {
  const own = {
    name: 'own',
    pattern: '(?i)(?:[a-z ]{1,58})[a-z ]{1,60}#',
    longest: 3,
    matches: ['ab#'],
    ignores: ['a'],
  };
  const slow = policySchema.parse({ name: 'slow', pii: { request: { own: 'block' }, patterns: [own] } });
  const long = { policies: [slow], text: 'lorem ipsum '.repeat(5_000), direction: 'request' as const };
  const request = { policies: [policySchema.parse({ name: 'any' })], text: 'x', direction: 'request' as const };
  const late = { code: 'invalid_parameter', message: 'policies: their patterns need more than 1 ms' };
  for (let tries = 0; tries < 3; tries += 1) await expect(tryPolicies(long, 'key', 1)).rejects.toMatchObject(late);
  const many = await Promise.allSettled([1, 2, 3].map(() => tryPolicies(request, 'key')));
  expect(many.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});

const hostile = Array.from({ length: 19 }, (_, at) => ({
  name: `p${at}`,
  pii: {
    request: { all: 'block' },
    patterns: Array.from({ length: 4 }, (_, own) => ({
      name: `own_${own}`,
      pattern: `(?i)(?:[a-z]{1,1000}){1}[a-z]{1,1000}[a-z]{1,${990 + own}}#`,
      ...{ longest: 1, matches: ['a'.repeat(500)], ignores: Array(5).fill('a'.repeat(500)) },
    })),
  },
}));

test.each([
  ['try', { policies: hostile, text: 'x' }],
  ['preview', { policies: hostile }],
])('patterns that are meant to be slow keep nobody waiting: %s', async (path, body) => {
  let isDone = false;
  const tried = management.send('POST', `/api/v1/policies/${path}`, body).finally(() => {
    isDone = true;
  });
  let answered = 0;
  for (; !isDone; answered += 1) expect((await management.call('/api/v1/policies')).status).toBe(200);
  await management.refuse(await tried, 400, /^policies\.0\.pii\.patterns\.0\.pattern: is too large/);
  // Else they would be answered behind it.
  expect(answered).toBeGreaterThan(4);
});

test('a pattern that cannot be used is refused with its line, and patterns of all policies together cost a bound', async () => {
  const costly = (name: string) => `
name: ${name}
# A comment
pii:
  request: { all: block }
  patterns:
    - { name: costly, pattern: '[A-Za-z]{2,20}-[0-9]{2,8}#', longest: 128, matches: [ab-12#], ignores: [ab] }
`;
  const write = (text: string) =>
    management.call('/api/v1/policies', {
      method: 'POST',
      headers: { 'content-type': 'application/yaml' },
      body: text,
    });
  await management.refuse(
    await write(costly('wrong').replace('ignores: [ab]', 'ignores: [ab-12#]')),
    400,
    /^line 7: pii/,
  );
  const statuses = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) statuses.push((await write(costly(name))).status);
  expect(statuses).toEqual([201, 201, 201, 201, 400]);
  await management.refuse(await write(costly('h')), 400, /patterns that one call may meet may cost 1500 steps/);
});
