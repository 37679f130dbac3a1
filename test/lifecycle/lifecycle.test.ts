import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@agp/testing';
import { answerCanned, startFakeProvider } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { errorClasses, openStream, streamKinds } from '../control/support/running-streams.ts';
import { type ServiceProcess, startProcesses } from '../system/start-processes.ts';
import { type ServiceName, waitFor } from '../system/start-system.ts';

const quick = { DRAIN_DELAY_SECONDS: '0', SHUTDOWN_GRACE_SECONDS: '1' };

async function readReadiness(opsUrl: string): Promise<{ status: number; reasons: string[] }> {
  const answer = await fetch(`${opsUrl}/readyz`);
  const { reasons = [] } = (await answer.json()) as { reasons?: string[] };
  return { status: answer.status, reasons };
}

const providerUrls = (url: string) => ({
  PROVIDER_OPENAI_URL: url,
  PROVIDER_ANTHROPIC_URL: url,
  PROVIDER_GEMINI_URL: url,
});

test.for(['proxy', 'writer', 'management'] as const)(
  '%s waits for servers that are away, says which, and is stopped at once meanwhile',
  { timeout: 90_000 },
  async (name) => {
    const lines: string[] = [];
    await using system = await startProcesses({
      proxies: 0,
      writers: 0,
      ownPostgres: true,
      environment: { LOG_LEVEL: 'warn' },
      onOutput: (text) => lines.push(text),
    });
    await Promise.all([system.stack.nats.stop(), system.stack.postgres.stop()]);
    const opsPort = await findFreePort();
    const opsUrl = `http://127.0.0.1:${opsPort}`;
    const waiting = () => system.spawn(name, { OPS_PORT: String(opsPort) });
    const isUp = () =>
      fetch(`${opsUrl}/healthz`).then(
        ({ status }) => status === 200,
        () => false,
      );

    const given = waiting();
    await waitFor('health', isUp);
    await waitFor('a reason in the log', () => lines.join('').includes('ECONNREFUSED'));
    const { status, reasons } = await readReadiness(opsUrl);
    expect(status).toBe(503);
    expect(reasons).toEqual(expect.arrayContaining(['starting', 'postgres', 'nats']));
    expect(await (await fetch(`${opsUrl}/metrics`)).text()).toMatch(/^agp_ready 0$/m);
    const signalled = performance.now();
    given.kill('SIGTERM');
    expect(await once(given, 'exit')).toEqual([0, null]);
    expect(performance.now() - signalled).toBeLessThan(2_000);

    const patient = waiting();
    await waitFor('health', isUp);
    await sleep(1_500);
    await system.stack.postgres.start();
    await sleep(500);
    expect((await readReadiness(opsUrl)).status).toBe(503);
    await system.stack.nats.start();
    await waitFor('readiness', async () => (await readReadiness(opsUrl)).status === 200);
    patient.kill('SIGTERM');
    expect(await once(patient, 'exit')).toEqual([0, null]);
  },
);

test.for(['proxy', 'management'] as const)(
  '%s says in its log why Postgres does not let it in, and goes on trying',
  { timeout: 60_000 },
  async (name) => {
    const lines: string[] = [];
    await using system = await startProcesses({ proxies: 0, writers: 0, onOutput: (text) => lines.push(text) });
    const right = system.stack.urls[name].databaseUrl;
    const wrong = [
      [Object.assign(new URL(right), { password: 'wrong' }).href, 'password authentication failed'],
      [Object.assign(new URL(right), { pathname: '/nowhere' }).href, 'database \\\\"nowhere\\\\" does not exist'],
    ] as const;
    for (const [url, reason] of wrong) {
      const child = system.spawn(name, { DATABASE_URL: url, LOG_LEVEL: 'warn' });
      await waitFor(reason, () => new RegExp(reason).test(lines.join('')));
      expect(lines.join('')).not.toContain('wrong@');
      expect(child.exitCode).toBeNull();
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  },
);

test.for(['proxy', 'writer', 'management'] as const)(
  '%s says in its log why Redis does not let it in, and when NATS and Postgres are lost, in the words of all three',
  { timeout: 60_000 },
  async (name) => {
    let text = '';
    const environment = { LOG_LEVEL: 'warn' };
    const onOutput = (more: string) => {
      text += more;
    };
    await using system = await startProcesses({ proxies: 0, writers: 0, ownPostgres: true, environment, onOutput });
    const redisUrl = Object.assign(new URL(system.stack.urls[name].redisUrl), { password: 'not-the-password' }).href;
    const { child } = await system.start(name, { REDIS_URL: redisUrl });
    const find = (message: string) => {
      const lines = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
      return lines.map((line) => JSON.parse(line)).find(({ pid, msg }) => pid === child.pid && msg === message);
    };
    const refused = await waitFor('the refusal', () => find('Redis cannot be used; it is tried again'));
    expect(refused).toMatchObject({ service: name, level: 'warn', status: 'unreachable' });
    expect(refused.error).toMatch(/^WRONGPASS/);
    await system.stack.nats.stop();
    expect(await waitFor('the loss of NATS', () => find('NATS'))).toMatchObject({ status: 'disconnected' });
    await system.stack.postgres.stop();
    expect(await waitFor('the loss of Postgres', () => find('lost a connection to Postgres'))).toMatchObject({
      error: expect.stringMatching(/terminat/),
    });
    expect(text).not.toContain('not-the-password');
  },
);

async function stopAfter(service: ServiceProcess): Promise<number> {
  const signalled = performance.now();
  await service.stop();
  return performance.now() - signalled;
}

test('a stream that outlives the grace ends with an error that its client raises, and is recorded; what has no answer yet gets a 503', async () => {
  const slowly = answerCanned({ words: Array(400).fill(' word'), pauseMs: 150 });
  await using provider = await startFakeProvider((received, index) =>
    received.target.includes('embeddings') ? { hang: true } : slowly(received, index),
  );
  await using system = await startProcesses({ environment: { ...providerUrls(provider.url), ...quick } });
  const [proxy] = system.proxies as [ServiceProcess];
  const running = streamKinds.map((kind) => openStream(kind, proxy.url, { 'x-agent-name': 'patient' }));
  const unanswered = fetch(`${proxy.url}/openai/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': 'patient' },
    body: JSON.stringify({ model: 'text-embedding-3-small', input: 'hello' }),
  });
  await Promise.all(running.map(({ started }) => started));
  await waitFor('the call without an answer', () => provider.requests.length === streamKinds.length + 1);
  expect(await stopAfter(proxy)).toBeLessThan(11_000);
  for (const { kind, ended } of running) {
    const { error, pieces } = await ended;
    expect(error, kind).toBeInstanceOf(errorClasses[kind]);
    expect(String((error as Error).message), kind).toContain('proxy is stopping');
    expect(pieces, kind).toBeGreaterThan(0);
  }
  const refused = await unanswered;
  expect([refused.status, await refused.json()]).toEqual([503, { error: 'proxy is stopping' }]);

  const payloads = await waitFor('their events', async () => {
    const { rows } = await system.database.pool.query<{ payload: string }>('SELECT payload FROM events');
    return rows.length === streamKinds.length + 1 && rows.map(({ payload }) => JSON.parse(payload));
  });
  expect(payloads.map(({ outcome }) => outcome)).toEqual(payloads.map(() => 'failed'));
  for (const { completion_tokens } of payloads.filter(({ http_status }) => http_status === 200))
    expect(completion_tokens).toBeGreaterThan(0);
}, 60_000);

test('in the drain delay a proxy serves on, each answer the last on its connection; a second signal ends the delay', async () => {
  await using provider = await startFakeProvider(answerCanned());
  const environment = { ...providerUrls(provider.url), DRAIN_DELAY_SECONDS: '60' };
  await using system = await startProcesses({ environment });
  const [proxy] = system.proxies as [ServiceProcess];
  const ask = () =>
    fetch(`${proxy.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': 'late' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    });
  const before = await ask();
  await before.text();
  expect(before.headers.get('connection')).toBe('keep-alive');
  proxy.child.kill('SIGTERM');
  await waitFor('the drain', async () => (await readReadiness(proxy.opsUrl)).reasons.includes('draining'));
  await sleep(1_000);
  for (let round = 0; round < 3; round += 1) {
    const answer = await ask();
    await answer.text();
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  }
  expect(await stopAfter(proxy)).toBeLessThan(10_000);
}, 60_000);

test("management's streams end as the drain begins; one that is opened in it lives until it is over", async () => {
  await using system = await startProcesses({ proxies: 0, writers: 0, environment: { DRAIN_DELAY_SECONDS: '2' } });
  const open = async () => {
    const answer = await fetch(`${system.management.url}/api/v1/events/stream`, {
      headers: { authorization: `Bearer ${system.apiKey}` },
    });
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    return { ended: answer.text().then(() => performance.now()) };
  };
  const first = await open();
  const signalled = performance.now();
  const stopped = system.management.stop();
  const firstEnd = await first.ended;
  const second = await open();
  const secondEnd = await second.ended;
  expect(firstEnd - signalled).toBeLessThan(1_500);
  expect(secondEnd - signalled).toBeGreaterThan(1_900);
  await stopped;
}, 60_000);

test.for(['proxy', 'management', 'writer'] satisfies ServiceName[])(
  '%s is done in the time that the formula gives it, also where nothing answers any more',
  { timeout: 60_000 },
  async (name) => {
    await using provider = await startFakeProvider(answerCanned());
    const environment = { ...providerUrls(provider.url), ...quick };
    await using system = await startProcesses({ ownPostgres: true, environment, onOutput: () => {} });
    const service = { proxy: system.proxies[0], management: system.management, writer: system.writers[0] }[name];
    await system.stack.nats.kill();
    system.stack.postgres.pause();
    try {
      const signalled = performance.now();
      service?.child.kill('SIGTERM');
      if (service?.child.exitCode === null) await once(service.child, 'exit');
      expect(performance.now() - signalled).toBeLessThan(13_000);
    } finally {
      system.stack.postgres.resume();
    }
  },
);
