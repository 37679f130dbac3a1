import { randomUUIDv7 } from 'node:crypto';
import { firstUuidAt, uuidOf } from '@agp/core/ids';
import { addRefusals } from '@agp/db';
import { policyRefusalsSchema, storedPolicySchema } from '@agp/policy';
import { expect, test } from 'vitest';
import { seedAgent } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
const dayMs = 86_400_000;

test('a policy has what it refused by day, since it was made, and by the teams of the agents it refused', async () => {
  const made = await management.send('POST', '/api/v1/policies', { name: 'by-team' });
  const { id } = storedPolicySchema.parse(await made.json());
  const [one, other] = [await seedAgent(management.database, 'red-1'), await seedAgent(management.database, 'red-2')];
  const [blue, alone] = [await seedAgent(management.database, 'blue-1'), await seedAgent(management.database, 'alone')];
  for (const [agent, team] of [
    [one, 'red'],
    [other, 'red'],
    [blue, 'blue'],
  ] as const)
    await management.send('PUT', `/api/v1/agents/${agent}`, { labels: { team } });
  const madeAt = (ms: number) =>
    management.database.pool.query(`UPDATE policies SET created_at = $1 WHERE name = 'by-team'`, [new Date(ms)]);
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const refuse = async (agent: string | null, at: number, count: number, policy = 'by-team') => {
    const agentId = agent && uuidOf('agt', agent);
    const of = { agentId, reason: 'policy_denied', sourceIp: '::1', count };
    const listed = {
      id: firstUuidAt(at).slice(0, 24) + randomUUIDv7().slice(24),
      requestId: 'r',
      provider: null,
      path: null,
      rule: 'x',
      told: null,
      added: count,
    };
    const decision = [
      { policy, rule: 'models' },
      { policy, rule: 'hours' },
    ];
    const requests = [{ ...of, ...listed, decision }];
    await addRefusals(management.database.pool, [{ ...of, minute: at, refusedAt: at, requests }]);
  };
  await madeAt(today - 20 * dayMs);
  await refuse(one, today, 2);
  await refuse(other, today - 1, 130);
  await refuse(blue, today - 13 * dayMs, 7);
  await refuse(blue, today - 13 * dayMs - 1, 1_000);
  await refuse(alone, today - 5 * dayMs, 9);
  await refuse(null, today - 5 * dayMs, 4);
  await refuse(one, today, 50, 'another');
  const { days, ...of } = await management.read(`/api/v1/policies/${id}/refusals`, policyRefusalsSchema);
  expect(of).toEqual({
    ...{ from: new Date(today - 13 * dayMs).toISOString(), refused: 152, unlisted: 4 },
    teams: [
      { team: 'red', agents: 2, refused: 132 },
      { team: 'blue', agents: 1, refused: 7 },
      { team: null, agents: 1, refused: 9 },
    ],
  });
  const dayOf = (before: number) => new Date(today - before * dayMs).toISOString().slice(0, 10);
  expect(days.map(({ day }) => day)).toEqual(Array.from({ length: 14 }, (_, at) => dayOf(13 - at)));
  expect(days.filter(({ refused }) => refused > 0)).toEqual([
    { day: dayOf(13), refused: 7 },
    { day: dayOf(5), refused: 13 },
    { day: dayOf(1), refused: 130 },
    { day: dayOf(0), refused: 2 },
  ]);
  // What retention took of the list stays in the sums.
  await management.database.pool.query('DELETE FROM refused_requests WHERE agent_id = $1', [uuidOf('agt', blue)]);
  expect(await management.read(`/api/v1/policies/${id}/refusals`, policyRefusalsSchema)).toMatchObject({
    ...{ refused: 152, unlisted: 11, days },
  });
  // What was before was another's of its name, except in the same hour.
  await madeAt(today - 1);
  expect(await management.read(`/api/v1/policies/${id}/refusals`, policyRefusalsSchema)).toMatchObject({
    ...{ refused: 132, unlisted: 0, teams: [{ team: 'red', agents: 2, refused: 132 }] },
  });
  await management.refuse(await management.call('/api/v1/policies/pol_x/refusals'), 404, 'policy not found');
});
