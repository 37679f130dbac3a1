import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@agp/db';
import type { ProcessSystem, ServiceProcess } from '../system/start-processes.ts';
import { waitFor } from '../system/start-system.ts';
import { attackManagement } from './attack-management.ts';
import { attackWriter } from './attack-writer.ts';
import type { HostileProvider } from './hostile-provider.ts';
import { type PlannedRequest, planRequests } from './plan-request.ts';
import { sendRaw } from './send-raw.ts';

/** What a round found against the promises; empty where they held. */
export interface RoundResult {
  seed: number;
  sent: number;
  forwarded: number;
  billedUsd: number;
  /** Recorded, claimed beyond what was believed, and ended without a record. */
  accountedUsd: number;
  faults: string[];
}

export interface FuzzedSystem {
  system: ProcessSystem;
  provider: HostileProvider;
  proxy: ServiceProcess;
}

interface AccountRow {
  session_id: string;
  events: number;
  cost_usd: number;
  /** Nobody could read which model was meant, and no cap applied: listed as unpriced instead. */
  is_unpriced: boolean;
}

/** How long a killed proxy's leases may outlive it, with the sweep behind them, in milliseconds. */
const leaseMs = 60_000;

/**
 * Sends one round of requests at once, with attacks on management and the writer beside them, waits until all is recorded, and
 * holds the accounts against each other.
 *
 * @param kills the proxy is killed amid the round, and started anew
 */
export async function runRound(
  fuzzed: FuzzedSystem,
  seed: number,
  count: number,
  kills: boolean,
): Promise<RoundResult> {
  const { system, provider } = fuzzed;
  const requests = planRequests(seed, count);
  provider.plan(requests);
  const faults: string[] = [];
  const before = new Set(provider.arrived.keys());
  const sending = requests.map(async (request, index) => {
    await sleep((request.dice % 200) + index);
    const answer = await sendRaw(fuzzed.proxy.url, request);
    if (answer.status === 500 && !answer.isProviders)
      faults.push(`${request.id}: 500 from the proxy: ${answer.text.slice(0, 300)}`);
    return answer;
  });
  const attacks = [attackManagement(system, seed), attackWriter(system, seed)];
  if (kills) {
    await sleep(100 + (seed % 200));
    await fuzzed.proxy.kill();
    fuzzed.proxy = await system.start('proxy');
  }
  await Promise.all(sending);
  for (const found of await Promise.all(attacks)) faults.push(...found);

  const ids = requests.map(({ id }) => id);
  const arrived = ids.filter((id) => provider.arrived.has(id) && !before.has(id));
  const read = () => readAccounts(system.database.pool, ids);
  await waitFor(
    'every forwarded request to be accounted for',
    async () => {
      const accounts = await read();
      return arrived.every((id) => accounts.has(id)) && arrived.every((id) => !provider.arrived.get(id)?.isOpen);
    },
    kills ? leaseMs : 30_000,
  ).catch(() => {});
  const accounts = await read();
  for (const id of arrived) if (!accounts.has(id)) faults.push(`${id}: reached the provider and is recorded nowhere`);
  for (const [id, { events }] of accounts) if (events > 1) faults.push(`${id}: ${events} events of one request`);
  let [billed, accounted] = [0, 0];
  for (const id of arrived) {
    const nanoUsd = provider.arrived.get(id)?.nanoUsd ?? 0;
    const cost = Math.round((accounts.get(id)?.cost_usd ?? 0) * 1e9);
    const planned = requests.find((request) => request.id === id);
    billed += nanoUsd;
    accounted += cost;
    if (cost < nanoUsd && !accounts.get(id)?.is_unpriced && !isGuessed(planned))
      faults.push(`${id}: billed ${nanoUsd} nano-dollars, accounted ${cost}: ${JSON.stringify(planned)}`);
  }
  faults.push(...findDead(fuzzed));
  return {
    seed,
    sent: count,
    forwarded: arrived.length,
    billedUsd: billed / 1e9,
    accountedUsd: accounted / 1e9,
    faults,
  };
}

/** Outside of strict mode a compressed body is estimated by its compressed bytes, or reserves as unpriced under a cap. */
const isGuessed = (request: PlannedRequest | undefined) => request?.body === 'gzip';

function findDead({ system, proxy }: FuzzedSystem): string[] {
  const services = { proxy, management: system.management, writer: system.writers[0] };
  return Object.entries(services).flatMap(([name, service]) =>
    service && service.child.exitCode === null && service.child.signalCode === null
      ? []
      : [`${name} has ended: ${service?.child.exitCode ?? service?.child.signalCode}`],
  );
}

/** By session, which is a request of its own here: its events, and all that it is said to have cost. */
async function readAccounts(pool: Pool, ids: readonly string[]): Promise<Map<string, AccountRow>> {
  const { rows } = await pool.query<AccountRow>(
    `SELECT session_id, sum(events)::int AS events, sum(cost_usd)::float8 AS cost_usd,
       bool_or(model = 'unknown' AND cost_usd = 0 AND EXISTS (SELECT FROM unpriced_usage WHERE model = 'unknown')) AS is_unpriced
     FROM (
       SELECT session_id, 1 AS events, cost_usd, model FROM events WHERE session_id = ANY($1::text[]) AND counts_as_request
       UNION ALL SELECT session_id, 0, cost_usd, model FROM unrecorded_spend WHERE session_id = ANY($1::text[])
     ) AS accounts GROUP BY session_id`,
    [ids],
  );
  return new Map(rows.map((row) => [row.session_id, row]));
}
