import { randomUUIDv7 } from 'node:crypto';
import { limitListSchema } from '@agp/core/contracts';
import { registerAgent } from '@agp/db';
import { describe, expect, test } from 'vitest';
import { seedAgent } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement({ edition: 'base' });

const putLimit = (path: string, limit: unknown) =>
  management.send('PUT', `/api/v1/limits/${path}`, { requests_per_minute: limit });

describe('requests a minute', () => {
  test('are listed with the default, and set for one agent or for those to come', async () => {
    const early = await seedAgent(management.database, 'early', '2026-03-01T00:00:00.000Z');
    expect(await (await management.call('/api/v1/limits')).json()).toEqual({
      default_requests_per_minute: null,
      agents: [{ agent_id: early, agent_name: 'early', requests_per_minute: null }],
    });
    expect(await (await putLimit('default', 60)).json()).toEqual({ requests_per_minute: 60 });
    await registerAgent(management.database.pool, {
      id: randomUUIDv7(),
      name: 'late',
      sourceIp: '10.0.0.1',
      tokenId: null,
    });
    expect(await (await putLimit(`agents/${early}`, 2_147_483_647)).json()).toEqual({
      requests_per_minute: 2_147_483_647,
    });
    const limits = await management.read('/api/v1/limits', limitListSchema);
    expect(limits.default_requests_per_minute).toBe(60);
    expect(limits.agents).toMatchObject([
      { agent_id: early, requests_per_minute: 2_147_483_647 },
      { agent_name: 'late', requests_per_minute: 60 },
    ]);
    expect((await management.read('/api/v1/limits?limit=1&offset=1', limitListSchema)).agents).toEqual([
      limits.agents[1],
    ]);
    for (const path of ['default', `agents/${early}`]) {
      expect(await (await putLimit(path, null)).json()).toEqual({ requests_per_minute: null });
    }
  });

  test.each([0, -1, 1.5, '5', true, 2_147_483_648, undefined])('refuses %s', async (limit) => {
    const agent = await seedAgent(management.database, `refusing ${crypto.randomUUID()}`);
    for (const path of ['default', `agents/${agent}`]) {
      await management.refuse(await putLimit(path, limit), 400, /^requests_per_minute: /);
    }
  });

  test.each(['agt_x', '', '%ZZ'])('answers 404 for the agent %s', async (id) => {
    await management.refuse(await putLimit(`agents/${id}`, 1), 404, 'agent not found');
  });
});
