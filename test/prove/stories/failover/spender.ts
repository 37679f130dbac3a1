import { setTimeout as sleep } from 'node:timers/promises';
import { nanoToDecimal } from '@agp/core/money';
import { Caller, type CallResult, countResults } from '../../../control/support/send-calls.ts';
import { type System, waitFor } from '../../../system/start-system.ts';

const agentName = 'spender';

/** An agent with a cap that sends as much as it may, through all proxies; each of its requests costs the same. */
export class Spender {
  /** Most of its requests in flight. */
  readonly atOnce = 20;
  readonly #system: System;
  readonly #caller = new Caller();
  readonly #results: CallResult[] = [];
  #cost = 0;
  #cap = 0;
  #isOver = false;
  #working: Promise<unknown> = Promise.resolve();

  private constructor(system: System) {
    this.#system = system;
  }

  static async start({ system }: { system: System }): Promise<Spender> {
    const spender = new Spender(system);
    await spender.#measure();
    spender.#working = Promise.all(Array.from({ length: spender.atOnce }, (_, worker) => spender.#work(worker)));
    return spender;
  }

  /** Caps it at what it has spent and so many requests more. */
  async setRoom(requests: number): Promise<void> {
    this.#cap = (await this.#readSpent()) + requests * this.#cost;
    const text = 'UPDATE agents SET daily_cap_usd = $2 WHERE name = $1';
    await this.#system.database.pool.query(text, [agentName, nanoToDecimal(this.#cap)]);
  }

  async passMore(requests: number): Promise<void> {
    const count = () => this.#results.filter(({ status }) => status === 200).length;
    const before = count();
    await waitFor('requests to pass', () => count() >= before + requests);
  }

  /** Its latest answers say that the cap is reached, and what it spent is recorded. */
  async isSpent(): Promise<boolean> {
    const latest = this.#results.slice(-2 * this.atOnce);
    return latest.length > 0 && latest.every(({ error }) => error?.startsWith('daily budget') ?? false);
  }

  /** @returns by how much the cap was passed, and what was refused */
  async stop(): Promise<{ overInRequests: number; refused: Record<string, number> }> {
    this.#isOver = true;
    await this.#working;
    await this.#caller[Symbol.asyncDispose]();
    const passed = this.#results.filter(({ status }) => status === 200).length + 1;
    await waitFor('the spend of all', async () => (await this.#readSpent()) >= passed * this.#cost);
    const { 200: _, ...refused } = countResults(this.#results);
    return { overInRequests: ((await this.#readSpent()) - this.#cap) / this.#cost, refused };
  }

  async #measure(): Promise<void> {
    await this.#send(0);
    this.#results.length = 0;
    this.#cost = await waitFor('its first cost', async () => (await this.#readSpent()) || undefined);
  }

  async #work(worker: number): Promise<void> {
    while (!this.#isOver) await sleep((await this.#send(worker)) === 200 ? 20 : 100);
  }

  async #send(worker: number): Promise<number> {
    const { proxies } = this.#system;
    const sending = this.#caller.sendPatiently(proxies[worker % proxies.length]?.url ?? '', { agentName });
    // A kept connection may be closed just then, on a starved machine all of them.
    const result = await sending.catch(() => null);
    if (result) this.#results.push(result);
    return result?.status ?? 0;
  }

  /** In nano-dollars. */
  async #readSpent(): Promise<number> {
    const { rows } = await this.#system.database.pool.query<{ spent: number }>(
      `SELECT 1e9 * coalesce(sum(cost_usd), 0) AS spent FROM daily_usage
       WHERE agent_id = (SELECT id FROM agents WHERE name = $1) AND day = (now() AT TIME ZONE 'UTC')::date`,
      [agentName],
    );
    return Number(rows[0]?.spent ?? 0);
  }
}
