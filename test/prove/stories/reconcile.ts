import type { CostSummary, Event } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { FakeProvider } from '@agp/testing/providers';
import { Agent } from 'undici';
import { expect } from 'vitest';
import {
  compareBills,
  deviation,
  printComparisons,
  type ReconciledCall,
} from '../../recording/reconciliation/compare-bills.ts';
import { kinds } from '../../recording/reconciliation/kinds.ts';
import { type PlannedCall, planCalls } from '../../recording/reconciliation/plan-calls.ts';
import { runCalls, type SeenCall } from '../../recording/reconciliation/run-calls.ts';
import { SimulatedProvider } from '../../recording/reconciliation/simulate-provider.ts';
import { type System, waitFor } from '../../system/start-system.ts';
import { type Report, unreported } from '../story.ts';

export interface ReconcileSize {
  calls: number;
  atOnce: number;
  /** By how much the sums of estimates may be off, as a share. Of few calls the sums are up to chance. */
  mostOff?: number;
}

/** Reads all events, newest first, page by page. */
async function readEvents(system: Pick<System, 'api'>): Promise<Map<string, Event>> {
  const events = new Map<string, Event>();
  for (let offset = 0; ; offset += 1_000) {
    const page = await system.api<Event[]>(`/api/v1/events?limit=1000&offset=${offset}`);
    for (const event of page) events.set(event.id, event);
    if (page.length < 1_000) return events;
  }
}

/** What the lineage payload alone has. */
interface Ended {
  outcome: string;
  usage_source: string;
}

async function readEnded(system: System): Promise<Map<string, Ended>> {
  const { rows } = await system.database.pool.query<{ id: string; payload: string }>('SELECT id, payload FROM events');
  return new Map(rows.map(({ id, payload }) => [toPublicId('evt', id), JSON.parse(payload) as Ended]));
}

const usd = (nano: number) => `${(nano / 1e9).toFixed(6)} USD`;
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
  ended: Map<string, Ended>,
): ReconciledCall {
  const eventId = seen?.eventId ?? '';
  const { outcome, usage_source: usageSource = '' } = ended.get(eventId) ?? {};
  expect({ call: call.id, status: seen?.status, outcome }).toEqual({ call: call.id, ...endings[call.ending] });
  const recorded = toNano(events.get(eventId)?.cost_usd ?? Number.NaN);
  return { call, billed: billed ?? Number.NaN, recorded, usageSource };
}

/** Mixed calls, some left by their agents and some failing: the record is the provider's own bill. */
export async function reconcileBills(
  system: System,
  provider: FakeProvider,
  { calls: count, atOnce, mostOff }: ReconcileSize,
  report: Report = unreported,
): Promise<void> {
  const calls = planCalls(count);
  const simulated = new SimulatedProvider(calls);
  provider.handle(simulated.answer);
  const dispatcher = new Agent();
  const seen = await runCalls(dispatcher, system.proxies[0]?.url ?? '', calls, atOnce);
  await dispatcher.close();

  const summary = await waitFor('every event', async () => {
    const found = await system.api<CostSummary>('/api/v1/costs/summary');
    return found.request_count >= count && found;
  });
  expect(summary).toMatchObject({ request_count: count, agent_count: 7 });
  const [events, ended] = [await readEvents(system), await readEnded(system)];
  expect(events.size).toBe(count);

  const reconciled = calls.map((call) =>
    reconcile(call, seen.get(call.id), simulated.bill.get(call.id), events, ended),
  );
  const byKind = kinds.map(({ name }) =>
    compareBills(
      name,
      reconciled.filter(({ call }) => call.kind.name === name),
    ),
  );
  const total = compareBills('all', reconciled);
  report({
    calls: count,
    'of which exact': total.exact.calls,
    'billed for these': usd(total.exact.billed),
    'recorded for these': usd(total.exact.recorded),
    'estimates off by': `${(deviation(total.estimated) * 100).toFixed(2)} %`,
  });
  if (report !== unreported) console.log(printComparisons([...byKind, total]));

  const isReported = ({ call: { ending } }: ReconciledCall) => ['completed', 'refused'].includes(ending);
  expect(reconciled.filter((call) => isReported(call) && call.billed !== call.recorded)).toEqual([]);
  // Nobody knows what a provider bills that had the request and never answered: its input is recorded.
  const unanswered = reconciled.filter(({ call: { ending } }) => ending === 'unanswered');
  expect(unanswered.filter(({ recorded, usageSource }) => recorded === 0 || usageSource !== 'estimated')).toEqual([]);
  const broken = reconciled.filter((call) => !isReported(call) && call.call.ending !== 'unanswered');
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
    if (mostOff !== undefined) expect(Math.abs(deviation(estimated)), name).toBeLessThan(mostOff);
  }
  expect(toNano(summary.total_cost_usd)).toBe(total.exact.recorded + total.estimated.recorded);
}
