import type { CostSummary, Event } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { startFakeProvider } from '@agp/testing/providers';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { compareBills, deviation, printComparisons, type ReconciledCall } from './reconciliation/compare-bills.ts';
import { kinds } from './reconciliation/kinds.ts';
import { type PlannedCall, planCalls } from './reconciliation/plan-calls.ts';
import { runCalls, type SeenCall } from './reconciliation/run-calls.ts';
import { SimulatedProvider } from './reconciliation/simulate-provider.ts';

/** `npm run reconcile` makes 10,000. */
const count = Number(process.env.RECONCILE_CALLS ?? 2_000);
const atOnce = 48;

/** What the management API shows, by event. */
async function readEvents(system: System): Promise<Map<string, Event>> {
  const events = new Map<string, Event>();
  for (let offset = 0; ; offset += 1_000) {
    const page = await system.api<Event[]>(`/api/v1/events?limit=1000&offset=${offset}`);
    for (const event of page) events.set(event.id, event);
    if (page.length < 1_000) return events;
  }
}

interface Told {
  outcome: string;
  usage_source: string;
}

/** What only the lineage payload tells of an event. */
async function readTold(system: System): Promise<Map<string, Told>> {
  const { rows } = await system.database.pool.query<{ id: string; payload: string }>('SELECT id, payload FROM events');
  return new Map(rows.map(({ id, payload }) => [toPublicId('evt', id), JSON.parse(payload) as Told]));
}

const toNano = (usd: number) => Math.round(usd * 1e9);

/** What a call that ends so looks like to its agent, and in the record. */
const endings = {
  completed: { status: 200, outcome: 'completed' },
  aborted: { status: 200, outcome: 'aborted' },
  refused: { status: 500, outcome: 'completed' },
  unanswered: { status: 502, outcome: 'failed' },
  'error event': { status: 200, outcome: 'failed' },
  cut: { status: 200, outcome: 'failed' },
} as const;

function reconcile(
  call: PlannedCall,
  seen: SeenCall | undefined,
  billed: number | undefined,
  events: Map<string, Event>,
  told: Map<string, Told>,
): ReconciledCall {
  const eventId = seen?.eventId ?? '';
  const { outcome, usage_source: usageSource = '' } = told.get(eventId) ?? {};
  expect({ call: call.id, status: seen?.status, outcome }).toEqual({ call: call.id, ...endings[call.ending] });
  const recorded = toNano(events.get(eventId)?.cost_usd ?? Number.NaN);
  return { call, billed: billed ?? Number.NaN, recorded, usageSource };
}

test(`${count} mixed calls, some left by their agents and some failing: the record is the provider's own bill`, async () => {
  const calls = planCalls(count);
  const provider = new SimulatedProvider(calls);
  await using fake = await startFakeProvider(provider.answer);
  await using system = await startSystem({
    environment: {
      PROVIDER_OPENAI_URL: fake.url,
      PROVIDER_ANTHROPIC_URL: fake.url,
      PROVIDER_GEMINI_URL: fake.url,
    },
  });
  const dispatcher = new Agent();
  const seen = await runCalls(dispatcher, system.proxies[0]?.url ?? '', calls, atOnce);
  await dispatcher.close();

  const summary = await waitFor(
    'every event',
    async () => {
      const found = await system.api<CostSummary>('/api/v1/costs/summary');
      return found.request_count >= count && found;
    },
    60_000,
  );
  expect(summary).toMatchObject({ request_count: count, agent_count: 7 });
  const [events, told] = [await readEvents(system), await readTold(system)];
  expect(events.size).toBe(count);

  const reconciled = calls.map((call) => reconcile(call, seen.get(call.id), provider.bill.get(call.id), events, told));
  const byKind = kinds.map(({ name }) =>
    compareBills(
      name,
      reconciled.filter(({ call }) => call.kind.name === name),
    ),
  );
  const total = compareBills('all', reconciled);
  console.log(printComparisons([...byKind, total]));

  const isTold = ({ call: { ending } }: ReconciledCall) => ['completed', 'refused'].includes(ending);
  expect(reconciled.filter((call) => isTold(call) && call.billed !== call.recorded)).toEqual([]);
  // Nobody knows what a provider bills that had the request and never answered: its input is recorded.
  const unanswered = reconciled.filter(({ call: { ending } }) => ending === 'unanswered');
  expect(unanswered.filter(({ recorded, usageSource }) => recorded === 0 || usageSource !== 'estimated')).toEqual([]);
  const broken = reconciled.filter((call) => !isTold(call) && call.call.ending !== 'unanswered');
  expect(total.estimated.calls).toBe(broken.length + unanswered.length);
  expect(broken.length / count).toBeGreaterThan(0.1);
  // Where the agent left, provider and proxy differ by the pieces on their way. Elsewhere a single call may be off by no more
  // than an estimate by length is, which a text gets whose count takes too long.
  const off = broken.filter((each) => each.call.ending !== 'aborted' && !(Math.abs(deviation(each)) < 0.15));
  expect(
    off.map(({ call: { id, kind, ending }, billed, recorded }) => [id, kind.name, ending, billed, recorded]),
  ).toEqual([]);
  const apis = [...new Set(kinds.map(({ api }) => api))];
  const byApi = apis.map((api) =>
    compareBills(
      api,
      broken.filter(({ call }) => call.kind.api === api),
    ),
  );
  for (const { name, estimated } of [...byApi, compareBills('all', broken)]) {
    expect(Math.abs(deviation(estimated)), name).toBeLessThan(0.05);
  }
  expect(toNano(summary.total_cost_usd)).toBe(total.exact.recorded + total.estimated.recorded);
}, 300_000);
