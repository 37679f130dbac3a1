import { type IncomingMessage, request } from 'node:http';
import type { UnrecordedRequest } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { createLogger, loadConfig } from '@agp/runtime';
import { writerConfigSchema } from '@agp/settings';
import type { Handler } from '@agp/testing/providers';
import { answerCanned } from '@agp/testing/providers';
import { expect } from 'vitest';
import { startWriter } from '../../../services/writer/src/start-writer.ts';
import { type BudgetSystem, startBudgetSystem } from '../../control/support/budget-system.ts';
import { endLeases } from '../../control/support/end-leases.ts';
import { boundOnOutput, pricedModel } from '../../control/support/send-calls.ts';
import { type ServiceProcess, startProcesses } from '../../system/start-processes.ts';
import { waitFor } from '../../system/start-system.ts';
import { type Report, unreported } from '../story.ts';

/** Of the priced model, in nano-dollars a token. */
const nanoPerToken = { input: 2_500, output: 10_000 };

export interface Sent {
  agent: string;
  stream?: boolean;
  path?: string;
  method?: string;
}

export interface Accounts {
  recorded: Map<string, number>;
  unrecorded: UnrecordedRequest[];
}

/** A product whose provider keeps its own bill, and that notes without delay what a killed proxy had forwarded. */
export class Accounted implements AsyncDisposable {
  readonly budgets: BudgetSystem<ServiceProcess>;
  /** What the provider bills for everything that reached it, in nano-dollars. */
  readonly readBill: () => number;
  #writer: { stop(): Promise<unknown> } | undefined;
  /** Ids of events that agents were shown. */
  readonly #seen = new Set<string>();

  constructor(budgets: BudgetSystem<ServiceProcess>, readBill: () => number) {
    this.budgets = budgets;
    this.readBill = readBill;
  }

  async startWriter(): Promise<void> {
    const { databaseUrl, natsUrl, redisUrl } = this.budgets.system.stack.urls.writer;
    const environment = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl, OPS_PORT: '0' };
    const config = loadConfig(writerConfigSchema, environment);
    this.#writer = await startWriter(config, { logger: createLogger('writer', 'silent'), sweepEveryMs: 100 });
  }

  async stopWriter(): Promise<void> {
    await this.#writer?.stop();
    this.#writer = undefined;
  }

  /** Sends a request and notes the id of its event; resolves with the answer's head, or null where none came. */
  async send(proxy: ServiceProcess, call: Sent): Promise<IncomingMessage | null> {
    const response = await this.#sendOnce(proxy, call);
    // The machine was too busy to read the agent's status in time.
    return response?.statusCode === 503 ? this.send(proxy, call) : response;
  }

  #sendOnce(proxy: ServiceProcess, { agent, stream = false, path, method }: Sent): Promise<IncomingMessage | null> {
    const sent = request(`${proxy.url}/openai/v1/${path ?? 'chat/completions'}`, {
      method: method ?? 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': agent, 'x-session-id': `of-${agent}` },
    });
    const messages = [{ role: 'user', content: 'Tell me everything.' }];
    if (method === 'GET') sent.end();
    else sent.end(JSON.stringify({ model: pricedModel, max_tokens: boundOnOutput, stream, messages }));
    return new Promise((resolve) => {
      sent.on('error', () => resolve(null));
      sent.on('response', (response) => {
        response.on('error', () => {}).resume();
        const eventId = response.headers['x-event-id'];
        if (typeof eventId === 'string') this.#seen.add(eventId);
        resolve(response);
      });
    });
  }

  /** Resolves once the answer has ended, or was cut. */
  async sendToEnd(proxy: ServiceProcess, sent: Sent): Promise<void> {
    const response = await this.send(proxy, sent);
    // `once` would reject for an answer that is cut.
    if (response && !response.closed) await new Promise((resolve) => response.on('close', resolve));
  }

  readUnrecorded(): Promise<UnrecordedRequest[]> {
    return this.budgets.system.api('/api/v1/costs/unrecorded?limit=1000');
  }

  async readRecorded(): Promise<Map<string, number>> {
    const { rows } = await this.budgets.system.database.pool.query<{ id: string; cost_usd: string }>(
      'SELECT id, cost_usd FROM events',
    );
    return new Map(rows.map(({ id, cost_usd }) => [toPublicId('evt', id), Number(cost_usd)]));
  }

  /** Lets the leases of killed proxies end and waits until every request is recorded or noted. */
  async settle(): Promise<Accounts> {
    await endLeases(this.budgets.system.stack.redisUrl);
    await this.budgets.settle();
    return { recorded: await this.readRecorded(), unrecorded: await this.readUnrecorded() };
  }

  /** Requests that Postgres keeps because Redis was away. */
  async countKept(): Promise<number> {
    const { rows } = await this.budgets.system.database.pool.query('SELECT count(*) FROM forwarded_requests');
    return rows[0].count;
  }

  /** Lets a minute pass for requests that proxies kept in Postgres, and waits until so many are noted. */
  async noteKept(count: number): Promise<UnrecordedRequest[]> {
    const { pool } = this.budgets.system.database;
    await pool.query("UPDATE forwarded_requests SET seen_at = seen_at - interval '1 minute'");
    await waitFor('none to be kept', async () => (await this.countKept()) === 0);
    return waitFor(`${count} to be noted`, async () => {
      const rows = await this.readUnrecorded();
      return rows.length >= count && rows;
    });
  }

  /** No request is in both places, each that an agent knows of is in one, and the sum is at least what the provider billed. */
  expectAllAccounted({ recorded, unrecorded }: Accounts): void {
    const ids = unrecorded.map(({ event_id }) => event_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => recorded.has(id))).toEqual([]);
    expect([...this.#seen].filter((id) => !recorded.has(id) && !ids.includes(id))).toEqual([]);
    expect(recorded.size + ids.length).toBeGreaterThanOrEqual(this.budgets.provider.requests.length);
    expect(sumNano(recorded.values()) + sumNano(unrecorded.map(({ cost_usd }) => cost_usd))).toBeGreaterThanOrEqual(
      this.readBill(),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopWriter();
    await this.budgets[Symbol.asyncDispose]();
  }
}

export const sumNano = (usd: Iterable<number>) => Math.round([...usd].reduce((sum, cost) => sum + cost, 0) * 1e9);

export async function startAccounted(): Promise<Accounted> {
  let billed = 0;
  /** Bills what was asked for as soon as the request is there; the path says what becomes of the answer. */
  const bill: Handler = async (received, index) => {
    if (received.body.length === 0) return { hang: true };
    const { max_tokens, messages } = JSON.parse(received.body.toString()) as { max_tokens: number; messages: unknown };
    // Of what the agent wrote: the proxy asks for the usage of streams in a member of its own.
    const figures = { input: Math.ceil(JSON.stringify(messages).length / 4), output: max_tokens };
    billed += figures.input * nanoPerToken.input + figures.output * nanoPerToken.output;
    if (received.target.includes('hangs')) return { hang: true };
    const length = received.target.includes('brief') ? 10 : 600;
    const slowly = { words: Array.from({ length }, (_, word) => ` word${word}`), pauseMs: 100 };
    const isStream = received.body.includes('"stream":true');
    return answerCanned({ ...figures, ...(isStream ? slowly : {}) })(received, index);
  };
  const budgets = await startBudgetSystem(bill, { proxies: 1, writers: 0, within: ['management'] }, startProcesses);
  const accounted = new Accounted(budgets, () => billed);
  await accounted.startWriter();
  return accounted;
}

/** Kills proxies in the middle of anything: none takes a request with it. */
export async function killAgainAndAgain(
  accounted: Accounted,
  { kills }: { kills: number },
  report: Report = unreported,
): Promise<void> {
  const { system, provider } = accounted.budgets;
  for (let kill = 0; kill < kills; kill += 1) {
    const proxy = await system.start('proxy');
    const workers = Array.from({ length: 16 }, async (_, at) => {
      while (!proxy.child.killed)
        await accounted.sendToEnd(proxy, { agent: at % 2 ? 'capped-b' : 'free-b', stream: at % 4 > 2 });
    });
    const before = provider.requests.length;
    await waitFor('some requests', () => provider.requests.length > before + 20 + (kill % 5) * 7);
    await proxy.kill();
    await Promise.all(workers);
  }
  const accounts = await accounted.settle();
  const noted = sumNano(accounts.unrecorded.map(({ cost_usd }) => cost_usd));
  const usd = (nano: number) => `${(nano / 1e9).toFixed(6)} USD`;
  report({ 'proxies killed': kills, forwarded: provider.requests.length, recorded: accounts.recorded.size });
  report({ noted: accounts.unrecorded.length, billed: usd(accounted.readBill()) });
  report({ accounted: usd(sumNano(accounts.recorded.values()) + noted) });
  accounted.expectAllAccounted(accounts);
  expect(accounts.unrecorded.length).toBeGreaterThan(10 * kills);
}
