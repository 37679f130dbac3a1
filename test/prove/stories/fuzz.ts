import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { priceEntries, startHostileProvider } from '../../fuzz/hostile-provider.ts';
import { agents } from '../../fuzz/plan-request.ts';
import { type FuzzedSystem, type RoundResult, runRound } from '../../fuzz/run-round.ts';
import { startProcesses } from '../../system/start-processes.ts';
import { type Report, unreported } from '../story.ts';

const perRound = 60;
/** Every so many rounds the proxy is killed amid one. */
const killsEvery = 12;

/** The product before a hostile provider. One agent may spend much and is metered under a cap, one runs into it soon. */
async function startFuzzed(): Promise<FuzzedSystem & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'agp-fuzz-'));
  opened.defer(() => rmSync(folder, { recursive: true }));
  const pricesFile = join(folder, 'prices.json');
  writeFileSync(pricesFile, JSON.stringify(priceEntries));
  const provider = opened.use(await startHostileProvider());
  const { url } = provider;
  const environment = {
    PROVIDER_OPENAI_URL: url,
    PROVIDER_ANTHROPIC_URL: url,
    PROVIDER_GEMINI_URL: url,
    PRICES_FILE: pricesFile,
    UPSTREAM_TIMEOUT_SECONDS: '5',
    LOG_LEVEL: 'fatal',
  };
  const system = opened.use(await startProcesses({ environment }));
  const [proxy] = system.proxies;
  if (!proxy) throw new Error('there is no proxy');
  for (const name of agents) await fetch(`${proxy.url}/openai/v1/models`, { headers: { 'x-agent-name': name } });
  const caps = new Map([
    ['fz-capped', 1_000_000],
    ['fz-poor', 3],
  ]);
  for (const { id, name } of await system.api<{ id: string; name: string }[]>('/api/v1/agents')) {
    const cap = caps.get(name);
    const body = JSON.stringify({ daily_cap_usd: cap });
    if (cap) await system.api(`/api/v1/budgets/agents/${id}`, { method: 'PUT', body });
  }
  const everything = opened.move();
  return { system, provider, proxy, [Symbol.asyncDispose]: () => everything.disposeAsync() };
}

/** What a round found, and how to run it again; empty where it found nothing. */
const explainFaults = ({ faults, seed }: RoundResult) =>
  faults.length === 0 ? '' : `${faults.join('\n')}\nAgain with: npm run fuzz -- --seed ${seed} --minutes 0.1`;

export interface FuzzSize {
  minutes: number;
  /** Of the first round; the next has the next number. */
  seed: number;
}

/** Rounds of hostile traffic: no process ends, nothing answers 500, and all that was billed is accounted for. */
export async function fuzz({ minutes, seed: firstSeed }: FuzzSize, report: Report = unreported): Promise<void> {
  await using fuzzed = await startFuzzed();
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
    report({ 'first seed': firstSeed, minutes, rounds: totals.rounds, sent: totals.sent, forwarded: totals.forwarded });
    report({ billed: `${totals.billedUsd.toFixed(2)} USD`, accounted: `${totals.accountedUsd.toFixed(2)} USD` });
    if (result.faults.length > 0) throw new Error(explainFaults(result));
  }
}
