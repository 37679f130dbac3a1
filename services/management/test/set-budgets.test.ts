import { randomUUIDv7 } from 'node:crypto';
import { budgetListSchema, budgetSchema } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { registerAgent } from '@agp/db';
import { describe, expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement, startTestManagement } from './support/start-test-management.ts';

const now = new Date().toISOString();

const management = shareTestManagement();

const readAgent = async (id: string, from = management) => {
  const { agents } = await from.read('/api/v1/budgets', budgetListSchema);
  return agents.find(({ agent_id }) => agent_id === id);
};

describe('setting a budget', () => {
  const targets = async () => {
    const agent = await seedAgent(management.database, `set ${crypto.randomUUID()}`);
    return ['/api/v1/budgets/global', '/api/v1/budgets/default', `/api/v1/budgets/agents/${agent}`];
  };

  test('stores it, answers it, and takes it away with null', async () => {
    for (const path of await targets()) {
      for (const cap of [0, 1e-9, 0.1, 12.345678901, 8_999_999.123456789, 9_000_000]) {
        const response = await management.send('PUT', path, { daily_cap_usd: cap });
        expect(response.status).toBe(200);
        const budget = (await response.json()) as object;
        expect(Object.keys(budget)).toEqual(['daily_cap_usd', 'spent_usd', 'reserved_usd', 'remaining_usd']);
        expect(budgetSchema.parse(budget).daily_cap_usd).toBe(cap);
      }
      const cleared = await management.send('PUT', path, { daily_cap_usd: null });
      expect(budgetSchema.parse(await cleared.json())).toMatchObject({ daily_cap_usd: null, remaining_usd: null });
    }
  });

  test('rounds what a program computed up to the nano-dollar, never down to nothing', async () => {
    for (const path of await targets()) {
      for (const [sent, cap] of [
        [0.1 + 0.2, 0.300000001],
        [1e-12, 1e-9],
        [Number.MIN_VALUE, 1e-9],
        [1.0000000001, 1.000000001],
      ]) {
        const response = await management.send('PUT', path, { daily_cap_usd: sent });
        expect(budgetSchema.parse(await response.json()).daily_cap_usd).toBe(cap);
      }
      await management.send('PUT', path, { daily_cap_usd: null });
    }
  });

  test('to warn only is shown where it is set, and taken back by a body without it', async () => {
    for (const path of await targets()) {
      const warning = await management.send('PUT', path, { daily_cap_usd: 1, warn_only: true });
      expect(await warning.json()).toMatchObject({ daily_cap_usd: 1, warn_only: true });
      const list = await management.read('/api/v1/budgets', budgetListSchema);
      const shown = [list.global.warn_only, list.default_warn_only, list.agents.at(-1)?.warn_only];
      expect(shown.filter(Boolean)).toHaveLength(1);
      const refusing = await management.send('PUT', path, { daily_cap_usd: 1 });
      expect(await refusing.json()).not.toHaveProperty('warn_only');
      await management.send('PUT', path, { daily_cap_usd: null });
    }
  });

  test('below what is spent leaves nothing, rather than less than nothing', async () => {
    const agent = await seedAgent(management.database, 'over');
    await seedEvents(management.database, [makeEvent(agent, 'ses_over', now, { cost_nano_usd: 2_000_000_000 })]);
    const response = await management.send('PUT', `/api/v1/budgets/agents/${agent}`, { daily_cap_usd: 1 });
    expect(await response.json()).toEqual({ daily_cap_usd: 1, spent_usd: 2, reserved_usd: 0, remaining_usd: 0 });
  });

  test('leaves status, metadata, updated_at and the other limits alone', async () => {
    const agent = await seedAgent(management.database, 'untouched');
    const before = await (await management.call(`/api/v1/agents/${agent}`)).json();
    await management.send('PUT', `/api/v1/limits/agents/${agent}`, { requests_per_minute: 3 });
    await management.send('PUT', `/api/v1/budgets/agents/${agent}`, { daily_cap_usd: 4 });
    expect(await (await management.call(`/api/v1/agents/${agent}`)).json()).toEqual(before);
    expect(await readAgent(agent)).toMatchObject({ daily_cap_usd: 4 });
    const limits = (await (await management.call('/api/v1/limits')).json()) as { agents: { agent_id: string }[] };
    expect(limits.agents.find(({ agent_id }) => agent_id === agent)).toMatchObject({ requests_per_minute: 3 });
  });

  test('by default is for agents that are registered later, and for them alone', async () => {
    await using own = await startTestManagement();
    const early = await seedAgent(own.database, 'early', '2026-03-01T00:00:00.000Z');
    const set = await own.send('PUT', '/api/v1/budgets/default', { daily_cap_usd: 3, warn_only: true });
    expect(await set.json()).toEqual({
      daily_cap_usd: 3,
      spent_usd: 0,
      reserved_usd: 0,
      remaining_usd: 3,
      warn_only: true,
    });
    const register = (name: string) =>
      registerAgent(own.database.pool, { id: randomUUIDv7(), name, sourceIp: '10.0.0.1', tokenId: null });
    await register('late');
    await own.send('PUT', '/api/v1/budgets/default', { daily_cap_usd: null });
    const list = await own.read('/api/v1/budgets', budgetListSchema);
    expect(list.default_agent_cap_usd).toBeNull();
    expect(list).not.toHaveProperty('default_warn_only');
    expect(list.agents).toMatchObject([
      { agent_id: early, daily_cap_usd: null },
      { agent_name: 'late', daily_cap_usd: 3, warn_only: true },
    ]);
  });

  test('at once by many loses none: each `before` is the previous `after`', async () => {
    await using own = await startTestManagement();
    const agent = await seedAgent(own.database, 'wanted');
    const caps = Array.from({ length: 20 }, (_, index) => index + 1);
    for (const path of ['/api/v1/budgets/global', `/api/v1/budgets/agents/${agent}`]) {
      const responses = await Promise.all(caps.map((cap) => own.send('PUT', path, { daily_cap_usd: cap })));
      const answers = await Promise.all(responses.map(async (response) => budgetSchema.parse(await response.json())));
      expect(answers.map(({ daily_cap_usd }) => daily_cap_usd)).toEqual(caps);
    }
    const { rows } = await own.database.pool.query<{ payload: string }>(
      "SELECT payload FROM audit_log WHERE action LIKE 'budget.%' ORDER BY seq",
    );
    const entries = rows.map(({ payload }) => JSON.parse(payload) as Record<string, { daily_cap_usd: number }>);
    expect(entries).toHaveLength(40);
    for (const [at, { before }] of entries.entries()) {
      const last = at % 20 === 0 ? null : entries[at - 1]?.after?.daily_cap_usd;
      expect(before?.daily_cap_usd).toBe(last);
    }
    expect((await readAgent(agent, own))?.daily_cap_usd).toBe(entries.at(-1)?.after?.daily_cap_usd);
  });

  test.each([
    ['nothing', {}, /^daily_cap_usd: /],
    ['text', { daily_cap_usd: '1' }, /^daily_cap_usd: /],
    ['a negative cap', { daily_cap_usd: -1e-9 }, /^daily_cap_usd: /],
    ['more than nine million', { daily_cap_usd: 9_000_000.000000002 }, /^daily_cap_usd: /],
    ['an invalid flag', { daily_cap_usd: 1, warn_only: 'yes' }, /^warn_only: /],
    ['another field', { daily_cap_usd: 1, spent_usd: 0 }, /^spent_usd: unknown field/],
    ['no object', [], /^body: /],
  ])('refuses a body with %s', async (_name, body, error) => {
    for (const path of await targets()) await management.refuse(await management.send('PUT', path, body), 400, error);
  });

  test.each(['1e400', '-1e400', 'NaN', 'Infinity', '-0.1', '9000000.1'])('refuses %s', async (cap) => {
    const body = `{"daily_cap_usd":${cap}}`;
    const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body };
    await management.refuse(await management.call('/api/v1/budgets/global', init), 400, /^(daily_cap_usd|body): /);
  });

  test.each([toPublicId('agt', '01930000-0000-7000-8000-000000000000'), 'agt_x', '', '%00', '%ZZ'])(
    'answers 404 for the agent %s',
    async (id) => {
      const response = await management.send('PUT', `/api/v1/budgets/agents/${id}`, { daily_cap_usd: 1 });
      await management.refuse(response, 404, 'agent not found');
    },
  );
});
