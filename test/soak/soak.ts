import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { milliseconds, type Report, unreported } from '../prove/story.ts';
import { waitFor } from '../system/start-system.ts';
import { makeRandom, type Random } from './make-random.ts';
import { readAccounts, waitUntilSettled } from './soak-accounts.ts';
import { type Fault, soakFaults } from './soak-faults.ts';
import { SoakLoad, soakAgents } from './soak-load.ts';
import { type SoakProduct, startSoakProduct } from './soak-product.ts';
import { type FaultRun, type SoakSize, writeSoakTable } from './write-soak-table.ts';

/** What callers may see of all this, and nothing else. */
const documented = new Set([
  // A proxy that stood still for half a minute cannot tell that a head had come in time.
  '408 request_head_too_slow',
  ...['served', 'left', 'cut', 'no connection', '403 agent_blocked', '429 agent_budget_exceeded', '429 budget_held'],
  ...['503 status_unavailable', '503 paused', '503 proxy_stopping', '429 share_used_up'],
]);

/** A dead proxy's requests are in Redis alone until a writer has noted them, and running ones are there again 10 s after it lost them. */
const keptApartMs = 60_000;
const spenderCapUsd = 0.5;
const settleWithinMs = 240_000;
const recoverWithinMs = 240_000;

/** Loses parts of the product at random, under load, and holds the accounts against each other at the end. */
export async function soak({ minutes, seed, perSecond }: SoakSize, report: Report = unreported): Promise<void> {
  const random = makeRandom(seed);
  await using product = await startSoakProduct();
  const load = new SoakLoad(product.proxies.url, perSecond);
  const ending = new AbortController();
  const loading = load.run(ending.signal);
  await setCaps(product);
  const faults: FaultRun[] = [];
  const stopped: unknown[] = [];
  const endAt = performance.now() + minutes * 60_000;
  try {
    while (performance.now() < endAt) {
      await sleep(1_000 * random.between(2, 6));
      const fault = chooseFault(random, faults);
      const run = await runFault(product, load, random, fault);
      faults.push(run);
      console.log(`${fault.name}: ${milliseconds(run.until - run.mendedAt)} until all served again`);
    }
  } catch (error) {
    // The accounts are worth reading all the same.
    stopped.push(error);
  } finally {
    ending.abort();
    await loading;
  }
  const left = await waitUntilSettled(product, settleWithinMs);
  const accounts = await readAccounts(product, load.eventIds, left);
  const table = writeSoakTable({ minutes, seed, perSecond }, load.sent, faults, accounts, product.billed);
  mkdirSync('.data/prove', { recursive: true });
  const file = `.data/prove/${new Date().toISOString().replace(/[:.]/g, '-')}-soak.md`;
  writeFileSync(file, table);
  console.log(`\n${table}\nwritten to ${file}`);
  const undocumented = load.sent.filter(({ outcome }) => !documented.has(outcome));
  report({
    seed,
    faults: faults.length,
    requests: load.sent.length,
    served: load.sent.filter(({ outcome }) => outcome === 'served').length,
    events: accounts.recorded,
    'said to be lost': accounts.lost,
    'never heard of again': accounts.unknownIds,
    'chains broken': `${accounts.brokenChains} of ${accounts.chains}`,
    'left reserved': accounts.leftReserved,
  });
  expect(stopped).toEqual([]);
  expect([...new Set(undocumented.map(({ outcome }) => outcome))]).toEqual([]);
  const { unknownIds, inBoth, twice, brokenChains, unequalSums, leftReserved, quarantined } = accounts;
  expect({ unknownIds, inBoth, twice, brokenChains, unequalSums, leftReserved, quarantined }).toEqual({
    ...{ unknownIds: 0, inBoth: 0, twice: 0, brokenChains: 0 },
    ...{ unequalSums: [], leftReserved: 0, quarantined: 0 },
  });
  expect(accounts.recorded + accounts.lost).toBeGreaterThanOrEqual(product.billed);
}

/** Caps that most agents never reach, and two soon do, once all agents are there. */
async function setCaps(product: SoakProduct): Promise<void> {
  await waitFor('all agents', async () => {
    const [row] = await product.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM agents WHERE name = ANY($1)',
      [soakAgents],
    );
    return row?.count === soakAgents.length;
  });
  await product.query("UPDATE agents SET daily_cap_usd = 1000 WHERE name LIKE 'capped-%'");
  await product.query("UPDATE agents SET daily_cap_usd = $1 WHERE name LIKE 'spender-%'", [spenderCapUsd]);
}

function chooseFault(random: Random, earlier: readonly FaultRun[]): Fault {
  const since = (property: 'endsProxy' | 'losesReservations') => {
    const names = new Set(soakFaults.filter((fault) => fault[property]).map(({ name }) => name));
    const last = earlier.findLast(({ name }) => names.has(name));
    return performance.now() - (last?.until ?? Number.NEGATIVE_INFINITY);
  };
  const may = soakFaults.filter(
    ({ endsProxy, losesReservations }) =>
      !(endsProxy && since('losesReservations') < keptApartMs) &&
      !(losesReservations && since('endsProxy') < keptApartMs),
  );
  return random.pick(may);
}

async function runFault(product: SoakProduct, load: SoakLoad, random: Random, fault: Fault): Promise<FaultRun> {
  const from = performance.now();
  await fault.run(product, random);
  const mendedAt = performance.now();
  await product.becomeReady();
  for (const { process } of product.list('proxy'))
    await waitFor(
      `a proxy to serve after ${fault.name}`,
      () => load.probe(process.url).catch(() => false),
      recoverWithinMs,
    );
  return { name: fault.name, from, mendedAt, until: performance.now() };
}
