import { expect, test } from 'vitest';
import type { z } from 'zod';
import { policySchema } from './schema.ts';
import { tryText } from './try-text.ts';

type Given = Omit<z.input<typeof policySchema>, 'name'>;

const text = 'Write to ada@example.com or bob@example.com, then ada@example.com; card 4111 1111 1111 1111, E123456.';
const patterns = [{ name: 'staff_id', pattern: 'E[0-9]{6}', matches: ['E123456'], ignores: ['E12'] }];

const run = (policies: Given[], direction: 'request' | 'response' = 'request') =>
  tryText({
    ...{ text, direction },
    policies: policies.map((policy, index) => policySchema.parse({ name: `p${index}`, ...policy })),
  });

const put = (name: string, card: string) =>
  `Write to [${name} xxxxx1] or [${name} xxxxx2], then [${name} xxxxx1]; card ${card}, E123456.`;

test('a text is shown as it would be passed on, whatever the policy matches and its mode', () => {
  const tried = run([
    { match: { agents: ['nobody'] }, until: '2020-01-01', pii: { request: { email: 'redact', payment_card: 'flag' } } },
  ]);
  expect(tried).toMatchObject({ sent: put('email', '4111 1111 1111 1111'), refusal: null, notes: [] });
  expect(tried.found).toEqual([
    { policy: 'p0', kind: 'email', action: 'redact', count: 3 },
    { policy: 'p0', kind: 'credit_card', action: 'flag', count: 1 },
  ]);
  expect(tried.places.map(({ start, end, action }) => `${action} ${text.slice(start, end)}`)).toEqual([
    ...['redact ada@example.com', 'redact bob@example.com', 'redact ada@example.com', 'flag 4111 1111 1111 1111'],
  ]);
});

test('of several policies the strictest action counts, and what is blocked is not sent', () => {
  const own: Given = { pii: { request: { staff_id: 'block' }, patterns } };
  const cards: Given = { pii: { request: { payment_card: 'redact' }, replace_with: 'last_four' } };
  const emails: Given = { pii: { request: { email: 'redact' } } };
  const flags: Given = { pii: { request: { all: 'flag' } } };
  expect(run([flags, cards, emails]).sent).toBe(put('email', '****1111'));
  const blocked = run([emails, own]);
  expect([blocked.sent, blocked.refusal]).toEqual([
    null,
    'denied by policy p1 (rule pii.request): its texts hold staff_id',
  ]);
  expect(blocked.found.at(-1)).toEqual({ policy: 'p1', kind: 'staff_id', action: 'block', count: 1 });
});

test('what is not tried is told', () => {
  const hash: Given = { pii: { response: { email: 'redact' }, replace_with: 'hash' } };
  const tried = run([hash, { check: { url: 'https://check.example', response: true } }], 'response');
  expect(tried.sent).toContain('Write to [email xxxxxxxxxxxx] or');
  expect(tried.notes).toEqual([
    'xxxxxxxxxxxx stands for a hash of p0, whose key the proxy has',
    'p1 has no rule of personal data for a response',
    'the check of p1 is not asked here',
  ]);
  expect(run([hash])).toMatchObject({ found: [], sent: text, refusal: null });
});
