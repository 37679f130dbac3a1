import type { BudgetList } from '@agp/core/contracts';
import { expect } from 'vitest';
import { endLeases } from '../../control/support/end-leases.ts';
import { pricedModel } from '../../control/support/send-calls.ts';
import type { ServiceProcess } from '../../system/start-processes.ts';
import { waitFor } from '../../system/start-system.ts';
import { type Accounted, sumNano } from './killed-proxy.ts';

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** What a proxy was serving when it was killed is charged and shown: streams, answers on their way, and those whose events NATS had not. */
export async function killWhileServing(accounted: Accounted): Promise<void> {
  const { budgets } = accounted;
  const { system, provider } = budgets;
  const [proxy] = system.proxies as [ServiceProcess];
  const agents = ['capped-a', 'capped-b', 'free-a', 'free-b'];
  await Promise.all([...agents, 'refused', 'waiting'].map((agent) => accounted.sendToEnd(proxy, { agent })));
  await budgets.settle();
  expect((await accounted.settle()).unrecorded).toEqual([]);
  expect(sumNano((await accounted.readRecorded()).values())).toBe(accounted.readBill());
  const cost = accounted.readBill() / 6;
  for (const agent of ['capped-a', 'capped-b']) await budgets.setAgentCap(agent, 100 * cost);
  await budgets.setAgentCap('refused', 0);
  // The one before, and one more.
  await budgets.setAgentCap('waiting', Math.round(2.5 * cost));

  const streams = agents.flatMap((agent) => times(3, () => accounted.send(proxy, { agent, stream: true })));
  await Promise.all(streams);
  for (const agent of [...agents, 'waiting']) void accounted.send(proxy, { agent, path: 'hangs/chat/completions' });
  for (const agent of agents) void accounted.send(proxy, { agent, path: 'models', method: 'GET' });
  const running = 6 + 12 + 5 + 4;
  await waitFor('all of it at the provider', () => provider.requests.length === running);
  await system.stack.nats.kill();
  await Promise.all(agents.flatMap((agent) => times(2, () => accounted.sendToEnd(proxy, { agent }))));
  // Refused again and again, in every moment of its way.
  let refusals = 0;
  const refusing = Promise.withResolvers<void>();
  const hammering = times(8, async (at) => {
    while (!proxy.child.killed) {
      await accounted.sendToEnd(proxy, { agent: at % 2 ? 'refused' : 'waiting' });
      refusals += 1;
      if (refusals === 40) refusing.resolve();
    }
  });
  await refusing.promise;
  await proxy.kill();
  await Promise.all(hammering);
  const forwarded = running + 8;
  expect(provider.requests).toHaveLength(forwarded);

  await system.stack.nats.start();
  const after = await accounted.settle();
  accounted.expectAllAccounted(after);
  expect(after.recorded.size).toBe(6);
  expect(after.unrecorded).toHaveLength(forwarded - 6);
  const byAgent = Map.groupBy(after.unrecorded, ({ agent_name }) => agent_name);
  expect(Object.fromEntries([...byAgent].map(([name, rows]) => [name, rows.length]))).toEqual({
    ...Object.fromEntries(agents.map((agent) => [agent, 3 + 1 + 1 + 2])),
    waiting: 1,
  });
  for (const row of after.unrecorded) {
    expect(row).toMatchObject({ reason: 'ended_without_record', provider: 'openai' });
    expect(row.session_id).toBe(after.unrecorded.find(({ agent_id }) => agent_id === row.agent_id)?.session_id);
    expect(Date.parse(row.noted_at ?? '')).toBeGreaterThan(Date.parse(row.started_at));
    expect(row.model).toBe(row.cost_usd === 0 ? null : pricedModel);
  }

  // Counted once, against its agent's cap too.
  const { agents: shown } = await system.api<BudgetList>('/api/v1/budgets');
  const capped = shown.find(({ agent_name }) => agent_name === 'capped-a');
  const rows = byAgent.get('capped-a') ?? [];
  const spent = rows.reduce((sum, { cost_usd }) => sum + cost_usd, cost / 1e9);
  expect(capped).toMatchObject({ reserved_usd: 0 });
  expect(capped?.spent_usd).toBeCloseTo(spent, 9);
  await budgets.setAgentCap('capped-a', Math.round(spent * 1e9));
  await accounted.stopWriter();
  const [next] = await Promise.all([system.start('proxy'), accounted.startWriter()]);
  expect((await accounted.send(next, { agent: 'capped-a' }))?.statusCode).toBe(429);
  expect(await accounted.readUnrecorded()).toEqual(after.unrecorded);
  await next.stop();
}

/** Also while Redis is away: Postgres keeps what a killed proxy had forwarded, with and without caps. */
export async function killWithoutRedis(accounted: Accounted): Promise<void> {
  const { budgets } = accounted;
  const { system, provider } = budgets;
  const { unrecorded: earlier } = await accounted.settle();
  const proxy = await system.start('proxy');
  const agents = ['capped-c', 'free-c'];
  await Promise.all(agents.map((agent) => accounted.sendToEnd(proxy, { agent })));
  await budgets.setAgentCap('capped-c', 1_000_000_000);
  await system.stack.redis.kill();
  const before = provider.requests.length;
  await Promise.all(agents.flatMap((agent) => times(3, () => accounted.send(proxy, { agent, stream: true }))));
  for (const agent of agents) void accounted.send(proxy, { agent, path: 'hangs/chat/completions' });
  for (const agent of agents) void accounted.send(proxy, { agent, path: 'models', method: 'GET' });
  await waitFor('all of it at the provider', () => provider.requests.length === before + 10);
  await system.stack.nats.kill();
  await Promise.all(agents.map((agent) => accounted.sendToEnd(proxy, { agent })));
  await waitFor('all to be kept', async () => (await accounted.countKept()) === 12);
  await proxy.kill();
  await system.stack.nats.start();
  const noted = await accounted.noteKept(earlier.length + 12);
  const more = noted.filter(({ event_id }) => !earlier.some((known) => known.event_id === event_id));
  expect(more.map(({ agent_name }) => agent_name).toSorted()).toEqual([
    ...times(6, () => 'capped-c'),
    ...times(6, () => 'free-c'),
  ]);
  for (const row of more)
    expect(row).toMatchObject({ reason: 'ended_without_record', outcome: 'lost', provider: 'openai' });
  await system.stack.redis.start();
  await waitFor('Redis', () => budgets.readState().catch(() => false as const));
  accounted.expectAllAccounted(await accounted.settle());
}

/** The event of a proxy that only stood still takes the place of its loss. */
export async function standStill(accounted: Accounted): Promise<void> {
  const { budgets } = accounted;
  const { system } = budgets;
  const proxy = await system.start('proxy');
  const streams = await Promise.all(
    ['capped-c', 'free-c'].map((agent) =>
      accounted.send(proxy, { agent, stream: true, path: 'brief/chat/completions' }),
    ),
  );
  const ids = streams.map((stream) => String(stream?.headers['x-event-id']));
  const count = async () => (await accounted.readUnrecorded()).filter(({ event_id }) => ids.includes(event_id)).length;
  proxy.child.kill('SIGSTOP');
  await endLeases(system.stack.redisUrl);
  await waitFor('both to be noted', async () => (await count()) === 2);
  for (const id of ids) await expect(system.api(`/api/v1/events/${id}`)).rejects.toThrow(/404 .*event lost: /);
  proxy.child.kill('SIGCONT');
  await waitFor('both to be recorded', async () => (await count()) === 0);
  for (const id of ids) expect(await system.api(`/api/v1/events/${id}`)).toMatchObject({ id, model: pricedModel });
  accounted.expectAllAccounted(await accounted.settle());
  await proxy.stop();
}
