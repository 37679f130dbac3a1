import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProcesses } from '../system/start-processes.ts';
import { priceEntries, startHostileProvider } from './hostile-provider.ts';
import { agents } from './plan-request.ts';
import { type FuzzedSystem, runRound } from './run-round.ts';

/** Rounds that once found something, and the first few. `npm run fuzz` goes on from a seed of its own. */
const knownSeeds = [1, 2, 3];
const minutes = Number(process.env.FUZZ_MINUTES ?? 0);
const firstSeed = Number(process.env.FUZZ_SEED ?? 1);
const perRound = 60;
/** Every so many rounds of the command the proxy is killed amid one. */
const killsEvery = 12;

const folder = mkdtempSync(join(tmpdir(), 'agp-fuzz-'));
let fuzzed: FuzzedSystem;

beforeAll(async () => {
  const pricesFile = join(folder, 'prices.json');
  writeFileSync(pricesFile, JSON.stringify(priceEntries));
  const provider = await startHostileProvider();
  const system = await startProcesses({
    environment: {
      PROVIDER_OPENAI_URL: provider.url,
      PROVIDER_ANTHROPIC_URL: provider.url,
      PROVIDER_GEMINI_URL: provider.url,
      PRICES_FILE: pricesFile,
      UPSTREAM_TIMEOUT_SECONDS: '5',
      LOG_LEVEL: 'fatal',
    },
  });
  const [proxy] = system.proxies;
  if (!proxy) throw new Error('there is no proxy');
  fuzzed = { system, provider, proxy };
  await setCaps();
});
afterAll(async () => {
  await fuzzed?.system[Symbol.asyncDispose]();
  await fuzzed?.provider[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** One agent may spend much and is metered under a cap, one runs into it soon. */
async function setCaps(): Promise<void> {
  for (const name of agents) {
    await fetch(`${fuzzed.proxy.url}/openai/v1/models`, { headers: { 'x-agent-name': name } });
  }
  const { api } = fuzzed.system;
  const caps = new Map([
    ['fz-capped', 1_000_000],
    ['fz-poor', 3],
  ]);
  for (const { id, name } of await api<{ id: string; name: string }[]>('/api/v1/agents')) {
    const cap = caps.get(name);
    if (cap) await api(`/api/v1/budgets/agents/${id}`, { method: 'PUT', body: JSON.stringify({ daily_cap_usd: cap }) });
  }
}

const explain = ({ faults, seed }: { faults: string[]; seed: number }) =>
  faults.length === 0 ? '' : `${faults.join('\n')}\nAgain with: npm run fuzz -- --seed ${seed} --minutes 0.1`;

test.skipIf(minutes > 0).each(knownSeeds)(
  'round %i: no process ends, none answers 500, and each forwarded request is accounted for with all that it cost',
  async (seed) => {
    const result = await runRound(fuzzed, seed, perRound, false);
    expect(explain(result)).toBe('');
    expect(result.forwarded).toBeGreaterThan(5);
  },
  60_000,
);

test.runIf(minutes > 0)(
  `${minutes} minutes of rounds from seed ${firstSeed} on`,
  async () => {
    const until = Date.now() + minutes * 60_000;
    const totals = { rounds: 0, sent: 0, forwarded: 0, billedUsd: 0, accountedUsd: 0 };
    for (let seed = firstSeed; Date.now() < until; seed += 1) {
      const kills = (seed - firstSeed) % killsEvery === killsEvery - 1;
      const result = await runRound(fuzzed, seed, perRound, kills);
      totals.rounds += 1;
      for (const key of ['sent', 'forwarded', 'billedUsd', 'accountedUsd'] as const) totals[key] += result[key];
      const { sent, forwarded, billedUsd, accountedUsd } = result;
      console.log(
        `seed ${seed}${kills ? ' (proxy killed)' : ''}: ${sent} sent, ${forwarded} forwarded, ` +
          `billed ${billedUsd.toFixed(3)} <= accounted ${accountedUsd.toFixed(3)} USD`,
      );
      expect(explain(result)).toBe('');
    }
    console.log(`all: ${JSON.stringify(totals)}`);
  },
  (minutes + 5) * 60_000,
);
