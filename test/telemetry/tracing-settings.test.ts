import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ProcessSystem, startProcesses } from '../system/start-processes.ts';
import { waitFor } from '../system/start-system.ts';
import { sendTraced as send } from './tracing/send-traced.ts';
import { startCollector } from './tracing/start-collector.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

let provider: FakeProvider;
let system: ProcessSystem;
let output: string;

beforeAll(async () => {
  provider = await startFakeProvider(answerCanned());
  const onOutput = (text: string) => {
    output += text;
  };
  output = '';
  system = await startProcesses({
    proxies: 0,
    writers: 0,
    management: false,
    onOutput,
    environment: { PROVIDER_OPENAI_URL: provider.url, LOG_LEVEL: 'warn' },
  });
});
beforeEach(() => {
  output = '';
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

const receivedTraceparent = () => provider.requests.at(-1)?.headers.traceparent;

test('the standard variables count: service name, attributes, headers from a file, compression and sampler', async () => {
  await using other = await startCollector();
  using folder = mkdtempDisposableSync(join(tmpdir(), 'agp-otlp-headers-'));
  const file = join(folder.path, 'headers');
  writeFileSync(file, 'x-collector-key=not-a-secret%20one\n');
  const common = { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
  const named = await system.start('proxy', {
    ...common,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${other.url}/custom/path`,
    OTEL_EXPORTER_OTLP_HEADERS_FILE: file,
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_SERVICE_NAME: 'gateway',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  const silent = await system.startWithin('proxy', {
    ...common,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${other.url}/silent`,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  for (const { url } of [silent, named]) {
    const { answer } = await send({ url, headers: { traceparent } });
    await answer.text();
    if (url === silent.url) expect(receivedTraceparent()).toBe(traceparent);
  }
  await waitFor('spans', () => other.spans.length >= 2);
  await silent.stop();
  expect(new Set(other.spans.map(({ service }) => service))).toEqual(new Set(['gateway']));
  expect(other.requests[0]).toMatchObject({
    path: '/custom/path',
    headers: { 'x-collector-key': 'not-a-secret one', 'content-encoding': 'gzip' },
  });
  // What has not left yet leaves at the stop.
  const last = await send({ url: named.url });
  await last.answer.text();
  await named.stop();
  expect(other.spans.length).toBe(4);
});

/** Reports every module of OpenTelemetry that a process loads, except the API, which the Prometheus client loads itself. */
const tellLoads = `data:text/javascript,${encodeURIComponent(
  `import{registerHooks}from'node:module';registerHooks({load(url,context,next){
  if(/@opentelemetry\\/(?!api\\/)/.test(url))console.error('LOADED');return next(url,context)}})`,
)}`;

test('OpenTelemetry is loaded where there is an endpoint, and traceparent goes through untouched where it is not; a collector that is away costs requests nothing, and few lines say so', async () => {
  const endpoint = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  };
  const bare = await system.start('proxy', { NODE_OPTIONS: `--import=${tellLoads}` });
  const disabled = await system.startWithin('proxy', { ...endpoint, OTEL_SDK_DISABLED: 'true' });
  const traced = await system.startWithin('proxy', endpoint);
  for (const { url } of [bare, disabled, traced]) {
    const { answer } = await send({ url, headers: { traceparent } });
    expect(answer.status).toBe(200);
    await answer.text();
    expect(receivedTraceparent() === traceparent).toBe(url !== traced.url);
  }
  const { url } = traced;
  const lines = () => output.split('traces cannot be sent').length - 1;
  await waitFor('a line in the log', async () => {
    const { answer } = await send({ url });
    expect(answer.status).toBe(200);
    await answer.text();
    await sleep(200);
    return lines() > 0;
  });
  for (let round = 0; round < 5; round += 1) {
    await (await send({ url })).answer.text();
    await sleep(40);
  }
  // One in ten seconds, on a machine that may be slow; every batch would be six and more.
  expect(lines()).toBeLessThan(3);
  await Promise.all([bare, disabled, traced].map((proxy) => proxy.stop()));
  expect(output).not.toContain('LOADED');
});

test('a stop does not wait long for a collector that never answers', async () => {
  await using silent = await startFakeProvider(() => ({ hang: true }));
  const proxy = await system.startWithin('proxy', {
    OTEL_EXPORTER_OTLP_ENDPOINT: silent.url,
    SHUTDOWN_GRACE_SECONDS: '0',
  });
  await (await send({ url: proxy.url })).answer.text();
  // The library itself waits for 10 seconds. A stop that takes longer than the proxy's own limit rejects.
  await proxy.stop();
  expect(silent.requests).toHaveLength(1);
});

test('spans that find the queue full are told of', async () => {
  await using collector = await startCollector();
  const proxy = await system.startWithin('proxy', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_MAX_QUEUE_SIZE: '4',
  });
  await waitFor('a line in the log', async () => {
    const sent = Array.from({ length: 20 }, () => send({ url: proxy.url }));
    for (const { answer } of await Promise.all(sent)) await answer.text();
    await sleep(500);
    return output.includes('Dropped');
  });
  expect(output).toMatch(/Dropped \d+ spans because maxQueueSize reached/);
  await proxy.stop();
});
