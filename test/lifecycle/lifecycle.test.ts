import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, refusalText } from '@agp/testing';
import { answerCanned, startFakeProvider } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { errorClasses, openStream, streamKinds } from '../control/support/running-streams.ts';
import { type ProcessOptions, type ServiceProcess, startProcesses } from '../system/start-processes.ts';
import { startSystem, waitFor } from '../system/start-system.ts';

const quick = { DRAIN_DELAY_SECONDS: '0', SHUTDOWN_GRACE_SECONDS: '1' };

async function readReadiness(opsUrl: string): Promise<{ status: number; reasons: string[]; without: string[] }> {
  const answer = await fetch(`${opsUrl}/readyz`);
  const { reasons = [], without = [] } = (await answer.json()) as { reasons?: string[]; without?: string[] };
  return { status: answer.status, reasons, without };
}

const providerUrls = (url: string) => ({
  PROVIDER_OPENAI_URL: url,
  PROVIDER_ANTHROPIC_URL: url,
  PROVIDER_GEMINI_URL: url,
});

const names = ['proxy', 'writer', 'management'] as const;

/** A system in which no service runs yet. */
const startEmpty = (options: ProcessOptions) =>
  startProcesses({ proxies: 0, writers: 0, management: false, ...options });

async function endsCleanly(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
}

test('services wait for servers that are away, say which, and are stopped meanwhile', async () => {
  let output = '';
  await using system = await startEmpty({
    ownPostgres: true,
    environment: { LOG_LEVEL: 'warn' },
    onOutput: (text) => {
      output += text;
    },
  });
  await Promise.all([system.stack.nats.stop(), system.stack.postgres.stop()]);
  const ports = await Promise.all(names.map(() => findFreePort()));
  const opsUrls = ports.map((port) => `http://127.0.0.1:${port}`);
  const portOf = (index: number) => ({ OPS_PORT: String(ports[index]) });
  const waitForHealth = () =>
    Promise.all(
      opsUrls.map((url) =>
        waitFor('health', () =>
          fetch(`${url}/healthz`).then(
            ({ status }) => status === 200,
            () => false,
          ),
        ),
      ),
    );

  const given = names.map((name, index) => system.spawn(name, portOf(index)));
  await waitForHealth();
  for (const name of names)
    await waitFor(`a reason in the log of ${name}`, () =>
      output.split('\n').some((line) => line.includes(`"${name}"`) && line.includes('ECONNREFUSED')),
    );
  for (const url of opsUrls) {
    const { status, reasons, without } = await readReadiness(url);
    expect(status).toBe(503);
    expect([...reasons, ...without]).toEqual(expect.arrayContaining(['starting', 'postgres', 'nats']));
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^agp_ready 0$/m);
  }
  await Promise.all(given.map(endsCleanly));

  const patient = Promise.all(
    names.map((name, index) => system.startWithin(name, { ...portOf(index), LOG_LEVEL: 'fatal' })),
  );
  await waitForHealth();
  await system.stack.postgres.start();
  for (const [index, url] of opsUrls.entries())
    await waitFor('Postgres', async () => {
      const { status, reasons, without } = await readReadiness(url);
      // Management serves without NATS; the others wait for it.
      if (names[index] === 'management' && status === 200) return without.includes('nats');
      expect(status).toBe(503);
      return names[index] !== 'management' && !reasons.includes('postgres');
    });
  await system.stack.nats.start();
  for (const url of opsUrls) await waitFor('readiness', async () => (await readReadiness(url)).status === 200);
  await Promise.all((await patient).map((service) => service.stop()));
});

test('services say in their log why Postgres or Redis does not let them in, and when NATS and Postgres are lost', async () => {
  let output = '';
  const onOutput = (text: string) => {
    output += text;
  };
  await using system = await startEmpty({ ownPostgres: true, environment: { LOG_LEVEL: 'warn' }, onOutput });
  const findLine = (service: string, message: string) => {
    const lines = output.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
    return lines.map((line) => JSON.parse(line)).find((line) => line.service === service && line.msg === message);
  };
  // The writer asks nothing of Postgres until it has a message.
  const asRole = (name: 'proxy' | 'management', parts: Partial<URL>) =>
    Object.assign(new URL(system.stack.urls[name].databaseUrl), parts).href;
  const [proxy, waiting] = [
    await system.startWithin('proxy', { DATABASE_URL: asRole('proxy', { password: 'wrong' }) }),
    // It waits for Postgres before it listens, so that only a signal ends it.
    system.spawn('management', { DATABASE_URL: asRole('management', { pathname: '/nowhere' }) }),
  ];
  for (const reason of [/password authentication failed/, /database \\"nowhere\\" does not exist/])
    await waitFor(String(reason), () => reason.test(output));
  expect(waiting.exitCode).toBeNull();
  await Promise.all([proxy.stop(), endsCleanly(waiting)]);
  expect(output).not.toContain('wrong@');

  output = '';
  const services = await Promise.all(
    names.map((name) => {
      const redisUrl = Object.assign(new URL(system.stack.urls[name].redisUrl), { password: 'not-the-password' }).href;
      return system.startWithin(name, { REDIS_URL: redisUrl });
    }),
  );
  for (const name of names) {
    const refused = await waitFor('the refusal', () => findLine(name, 'Redis cannot be used; it is tried again'));
    expect(refused).toMatchObject({ level: 'warn', status: 'unreachable' });
    expect(refused.error).toMatch(/^WRONGPASS/);
  }
  await system.stack.nats.stop();
  for (const name of names)
    expect(await waitFor('the loss of NATS', () => findLine(name, 'NATS'))).toMatchObject({ status: 'disconnected' });
  // Each has a connection by now: its readiness asked.
  await system.stack.postgres.stop();
  for (const name of names)
    expect(await waitFor('the loss of Postgres', () => findLine(name, 'lost a connection to Postgres'))).toMatchObject({
      // A starved service may find the connection ended before it reads why.
      error: expect.stringMatching(/terminat|ECONNRESET/),
    });
  await Promise.all(services.map((service) => service.stop()));
  expect(output).not.toContain('not-the-password');
});

test('a stream that outlives the grace ends with an error that its client raises, and is recorded; what has no answer yet gets a 503', async () => {
  const slowly = answerCanned({ words: Array(400).fill(' word'), pauseMs: 150 });
  await using provider = await startFakeProvider((received, index) =>
    received.target.includes('embeddings') ? { hang: true } : slowly(received, index),
  );
  await using system = await startProcesses({
    within: ['writer'],
    management: false,
    environment: { ...providerUrls(provider.url), ...quick },
  });
  const [proxy] = system.proxies as [ServiceProcess];
  const embed = (signal: AbortSignal | null = null) =>
    fetch(`${proxy.url}/openai/v1/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': 'patient' },
      body: JSON.stringify({ model: 'text-embedding-3-small', input: 'hello' }),
      signal,
    });
  const readPayloads = async (count: number) => {
    const { rows } = await system.database.pool.query<{ payload: string }>('SELECT payload FROM events');
    return rows.length === count && rows.map(({ payload }) => JSON.parse(payload));
  };
  // The first estimate loads the tokenizer, for which a busy machine may need longer than the last words of a stream may take.
  const leaving = new AbortController();
  const left = embed(leaving.signal).catch(() => null);
  await waitFor('the call that is left', () => provider.requests.length === 1);
  leaving.abort();
  await left;
  await waitFor('its event', () => readPayloads(1));

  const running = streamKinds.map((kind) => openStream(kind, proxy.url, { 'x-agent-name': 'patient' }));
  const unanswered = embed();
  await Promise.all(running.map(({ started }) => started));
  await waitFor('the call without an answer', () => provider.requests.length === streamKinds.length + 2);
  const [refused] = await Promise.all([unanswered, proxy.stop()]);
  for (const { kind, ended } of running) {
    const { error, pieces } = await ended;
    expect(error, kind).toBeInstanceOf(errorClasses[kind]);
    expect(String((error as Error).message), kind).toContain('proxy is stopping');
    expect(pieces, kind).toBeGreaterThan(0);
  }
  expect([refused.status, refusalText(await refused.json())]).toEqual([503, 'proxy is stopping']);

  const payloads = (await waitFor('their events', () => readPayloads(streamKinds.length + 2))).filter(
    ({ outcome }) => outcome !== 'aborted',
  );
  expect(payloads).toHaveLength(streamKinds.length + 1);
  expect(payloads.map(({ outcome }) => outcome)).toEqual(payloads.map(() => 'failed'));
  for (const { completion_tokens } of payloads.filter(({ http_status }) => http_status === 200))
    expect(completion_tokens).toBeGreaterThan(0);
});

test('in the drain delay a proxy serves on, each answer the last on its connection; a second signal ends the delay', async () => {
  await using provider = await startFakeProvider(answerCanned());
  const environment = { ...providerUrls(provider.url), DRAIN_DELAY_SECONDS: '60' };
  await using system = await startProcesses({ writers: 0, management: false, environment });
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
  for (let round = 0; round < 3; round += 1) {
    const answer = await ask();
    await answer.text();
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  }
  // Without the second signal the delay would outlive this test.
  await proxy.stop();
});

test("management's streams end as the drain begins; one that is opened in it lives until it is over", async () => {
  await using system = await startSystem({ proxies: 0, writers: 0, environment: { DRAIN_DELAY_SECONDS: '2' } });
  const ended: string[] = [];
  const open = async (name: string) => {
    const answer = await fetch(`${system.management.url}/api/v1/events/stream`, {
      headers: { authorization: `Bearer ${system.apiKey}` },
    });
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    return { end: answer.text().then(() => ended.push(name)) };
  };
  const first = await open('first');
  const stopped = system.management.stop();
  await first.end;
  const second = await open('second');
  // The drain lasts two seconds: the second stream lives on in it, and has not ended with the first.
  await Promise.race([second.end, sleep(200)]);
  expect(ended).toEqual(['first']);
  await second.end;
  await stopped;
  expect(ended).toEqual(['first', 'second']);
});

test('services end within the time that they set themselves, also where nothing answers any more', async () => {
  await using provider = await startFakeProvider(answerCanned());
  const environment = { ...providerUrls(provider.url), ...quick };
  await using system = await startProcesses({ ownPostgres: true, environment, onOutput: () => {} });
  await system.stack.nats.kill();
  system.stack.postgres.pause();
  try {
    const children = [...system.proxies, ...system.writers, system.management].map(({ child }) => child);
    await Promise.all(
      children.map(async (child) => {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        // Code 1: it gave up what it waited for when its own time was over. Nobody had to kill it.
        const [code, signal] = await exited;
        expect(signal).toBeNull();
        expect([0, 1]).toContain(code);
      }),
    );
  } finally {
    system.stack.postgres.resume();
  }
});
