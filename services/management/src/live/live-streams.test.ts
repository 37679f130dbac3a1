import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { AnnouncedEvent } from '@agp/core/events';
import express, { type Response } from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { LiveStreams, type LiveStreamsOptions } from './live-streams.ts';

/** An HTTP server whose every answer is a stream, and a way to connect to it without reading. */
async function serve(options: Partial<LiveStreamsOptions> = {}) {
  const streams = new LiveStreams({
    keepaliveMs: 60_000,
    findNames: async () => new Map(),
    findTeam: async () => new Map(),
    ...options,
  });
  const responses: Response[] = [];
  const refused: unknown[] = [];
  const app = express();
  app.use((request, response) => {
    try {
      streams.open(
        response,
        { withEvents: true, withNames: request.url === '/named' },
        { holder: 'key', secretSha256: 'secret', match: null },
      );
      responses.push(response);
    } catch (error) {
      refused.push(error);
      response.sendStatus(503);
    }
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    streams.stop();
    server.closeAllConnections();
    server.close();
  });
  const openClient = (path = '/'): Socket => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => {});
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    onTestFinished(() => {
      client.destroy();
    });
    return client;
  };
  return { streams, responses, refused, openClient };
}

const makeBatch = (start: number): AnnouncedEvent[] =>
  Array.from({ length: 100 }, (_, index) => ({
    id: `evt_${start + index}`,
    agent_id: 'agt',
    session_id: 'ses',
    timestamp: '2026-03-01T00:00:00.000Z',
    model: 'm'.repeat(1_000),
    prompt_tokens: 1,
    completion_tokens: 1,
    cost_usd: 0,
    compliance_tag: 'default',
    lineage_hash: '',
    pii_detected: false,
    pii_types: [],
    http_status: 200,
    outcome: 'completed',
  }));

test('an ended stream that its client does not read gives its socket back', async () => {
  const { streams, responses, openClient } = await serve();
  openClient();
  await expect.poll(() => streams.size).toBe(1);
  const [response] = responses as [Response];
  // Until the buffers of the system are full and something waits here.
  for (let sent = 0; response.writableLength < 300_000; sent += 100) {
    streams.publish(makeBatch(sent));
    await new Promise((resolve) => setImmediate(resolve));
    expect(streams.size).toBe(1);
  }
  const closed = once(response, 'close');
  streams.endStreams();
  expect(streams.size).toBe(0);
  expect(response.destroyed).toBe(false);
  await closed;
  expect(response.writableFinished).toBe(false);
});

test('no more streams are opened than may be, until one has left', async () => {
  const { streams, refused, openClient } = await serve({ maxStreams: 2 });
  const first = openClient();
  openClient();
  await expect.poll(() => streams.size).toBe(2);
  openClient();
  await expect.poll(() => refused.length).toBe(1);
  expect(refused[0]).toMatchObject({ code: 'too_many_streams', status: 503, headers: { 'Retry-After': '5' } });
  first.destroy();
  await expect.poll(() => streams.size).toBe(1);
  openClient();
  await expect.poll(() => streams.size).toBe(2);
});

test('names that cannot be looked up, or not in time, end the streams that want them and no others', async () => {
  const never = Promise.withResolvers<Map<string, string>>();
  const lookUps: number[] = [];
  const answers = [Promise.reject(new Error('storage is gone')), never.promise];
  answers[0]?.catch(() => {});
  const { streams, openClient } = await serve({
    findNames: (ids) => {
      lookUps.push(ids.length);
      return answers[lookUps.length - 1] ?? never.promise;
    },
  });
  openClient();
  openClient('/named');
  await expect.poll(() => streams.size).toBe(2);
  streams.publish(makeBatch(0));
  await expect.poll(() => streams.size).toBe(1);
  openClient('/named');
  await expect.poll(() => streams.size).toBe(2);
  streams.publish(makeBatch(100).slice(0, 1));
  await expect.poll(() => lookUps).toEqual([100, 1]);
  for (let batch = 2; batch <= 100; batch += 1) streams.publish(makeBatch(batch * 100).slice(0, 1));
  expect(streams.size).toBe(2);
  streams.publish(makeBatch(20_000));
  expect(streams.size).toBe(1);
  // What waited is let go without a look-up for streams that are gone.
  never.resolve(new Map());
  await new Promise((resolve) => setImmediate(resolve));
  expect(lookUps).toEqual([100, 1]);
});
