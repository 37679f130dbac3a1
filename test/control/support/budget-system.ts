import { setTimeout as sleep } from 'node:timers/promises';
import { nanoToDecimal } from '@agp/core/money';
import { type BudgetReservations, connectRedis, createBudgetReservations } from '@agp/reservations';
import { type FakeProvider, type Handler, startFakeProvider } from '@agp/testing/providers';
import type { ProcessOptions } from '../../system/start-processes.ts';
import {
  type RunningService,
  type System,
  type SystemOptions,
  startSystem,
  waitFor,
} from '../../system/start-system.ts';
import { type Call, Caller, type CallResult } from './send-calls.ts';

/** What was recorded and what is reserved at a moment, in nano-dollars. */
export interface BudgetState {
  spent: number;
  reserved: number;
  /** Reservations, those of no cost included. */
  held: number;
}

/** A whole product whose caps a test sets, and whose spend and reservations it reads. */
export interface BudgetSystem<Service extends RunningService = RunningService> extends AsyncDisposable {
  system: System<Service>;
  provider: FakeProvider;
  reservations: BudgetReservations;
  /** Makes Redis forget everything. */
  flushRedis(): Promise<unknown>;
  /** Of all proxies. */
  urls: string[];
  sendMany(count: number, toCall: (index: number) => Call): Promise<CallResult[]>;
  send(call: Call, proxy?: number): Promise<CallResult>;
  /** Sets the cap that agents get with their first request. Null is none. */
  setDefaultCap(nanoUsd: number | null): Promise<void>;
  setGlobalCap(nanoUsd: number | null): Promise<void>;
  setAgentCap(agentName: string, nanoUsd: number | null, warnOnly?: boolean): Promise<void>;
  /** Of one agent, or of all. */
  readState(agentName?: string): Promise<BudgetState>;
  /** Waits until nothing is reserved any more: every event is recorded. */
  settle(): Promise<BudgetState>;
}

export const today = () => new Date().toISOString().slice(0, 10);

/** A round of requests must not have its budget made new in the middle. */
export async function stayWithinTheDay(ms: number): Promise<void> {
  const left = 86_400_000 - (Date.now() % 86_400_000);
  if (left < ms) await sleep(left + 100);
}

export async function startBudgetSystem(handler: Handler, options?: SystemOptions): Promise<BudgetSystem>;
/** @param start `startProcesses`, for tests that kill a service */
export async function startBudgetSystem<Service extends RunningService>(
  handler: Handler,
  options: ProcessOptions,
  start: (options: ProcessOptions) => Promise<System<Service>>,
): Promise<BudgetSystem<Service>>;
export async function startBudgetSystem(
  handler: Handler,
  options: SystemOptions = {},
  start: (options: SystemOptions) => Promise<System> = startSystem,
): Promise<BudgetSystem> {
  const provider = await startFakeProvider(handler);
  const system = await start({
    proxies: 3,
    ...options,
    environment: {
      PROVIDER_OPENAI_URL: provider.url,
      PROVIDER_BEDROCK_URL: provider.url,
      MAX_REGISTRATIONS_PER_MINUTE: '1000000',
      LOG_LEVEL: 'fatal',
      ...options.environment,
    },
  });
  const redis = connectRedis({ url: system.stack.redisUrl, commandTimeoutMs: 5_000 });
  await waitFor('the connection to Redis', () => redis.status === 'ready');
  const reservations = createBudgetReservations(redis);
  const caller = new Caller();
  const { pool } = system.database;
  const urls = system.proxies.map(({ url }) => url);
  const decimal = (nanoUsd: number | null) => (nanoUsd === null ? null : nanoToDecimal(nanoUsd));

  async function readState(agentName?: string): Promise<BudgetState> {
    const { rows: agents } = await pool.query<{ id: string }>('SELECT id FROM agents WHERE name = $1', [agentName]);
    const agentId = agents[0]?.id ?? null;
    // Before the spend, or what is settled in between would be in neither.
    const [totals, held] = await Promise.all([
      reservations.readTotals(today()),
      reservations.list(today(), agentName === undefined ? null : (agentId ?? '')),
    ]);
    const { rows } = await pool.query<{ spent: number; all: number }>(
      `SELECT
         1e9 * (SELECT coalesce(sum(cost_usd), 0) FROM daily_usage WHERE day = $1 AND agent_id = $2) AS spent,
         1e9 * (SELECT coalesce(sum(cost_usd), 0) FROM daily_global_spend WHERE day = $1) AS "all"`,
      [today(), agentId],
    );
    const [row] = rows;
    const reserved = agentName === undefined ? totals.globalNanoUsd : (totals.byAgent.get(agentId ?? '') ?? 0);
    return { spent: Number(agentName === undefined ? row?.all : row?.spent), reserved, held: held.length };
  }

  return {
    system,
    provider,
    reservations,
    flushRedis: async () => {
      await waitFor('the connection to Redis', () => redis.status === 'ready');
      return redis.flushall();
    },
    urls,
    sendMany: (count, toCall) => caller.sendMany(urls, count, toCall),
    send: (call, proxy = 0) => caller.send(urls[proxy] ?? '', call),
    async setDefaultCap(nanoUsd) {
      await pool.query('UPDATE control SET default_agent_cap_usd = $1', [decimal(nanoUsd)]);
    },
    async setGlobalCap(nanoUsd) {
      await pool.query('UPDATE control SET global_cap_usd = $1', [decimal(nanoUsd)]);
    },
    async setAgentCap(agentName, nanoUsd, warnOnly = false) {
      const text = 'UPDATE agents SET daily_cap_usd = $2, warn_only = $3 WHERE name = $1';
      const { rowCount } = await pool.query(text, [agentName, decimal(nanoUsd), warnOnly]);
      if (rowCount !== 1) throw new Error(`there is no agent ${agentName}`);
    },
    readState,
    settle: () =>
      waitFor('all reservations to be settled', async () => {
        const state = await readState();
        return state.held === 0 && state.reserved === 0 && state;
      }),
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      await caller[Symbol.asyncDispose]();
      await system[Symbol.asyncDispose]();
      await provider.stop();
    },
  };
}
