import { previewSchema } from '@agp/policy';
import { expect, test } from 'vitest';
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
