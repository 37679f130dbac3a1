import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { errorTable } from '@agp/core/errors';
import type { CallMeter } from '@agp/metering';
import { Agent } from 'undici';
import { afterEach, expect, test } from 'vitest';
import type { ProxyContext } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import type { AdmittedRequest, Answer } from '../journey.ts';
import { RunningRequests } from '../stop/running-requests.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { forward } from './forward.ts';

/** More than the kernel takes of what the agent does not read: what comes behind it stays in this process. */
const unread = Buffer.alloc(32 * 1024 * 1024);

const agentId = '0190b8a0-0000-7000-8000-000000000001';
const frame = 'data: {"choices":[]}\n\n';
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Setup {
  ofProvider?: OutgoingHttpHeaders;
  providerEnds: boolean;
  /** The agent reads nothing. */
  isStuck: boolean;
  upstreamTimeoutSeconds?: number;
}

/** One request, relayed to a provider that ends its stream at once, or goes on after one frame. */
async function relay({ ofProvider, providerEnds, isStuck, upstreamTimeoutSeconds = 60 }: Setup) {
  const provider = await listen(
    createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', ...ofProvider });
      if (providerEnds) response.end();
      else response.write(frame);
    }),
  );
  const registry = createMetrics({
    providers: [],
    outbox: () => 0,
    running: () => 0,
    bufferedBytes: () => 0,
    priceFileIsRefused: () => false,
  });
  const upstream = new Agent();
  const runningRequests = new RunningRequests();
  const context = {
    runningRequests,
    metrics: registry,
    upstreams: { find: () => upstream },
    config: { upstreamTimeoutSeconds },
  };
  const admitted = {
    head: {
      requestId: 'req_1',
      provider: { baseUrl: new URL(provider), basePath: '', api: 'openai' },
      operation: null,
      arrived: performance.now(),
      method: 'GET',
      path: '/v1/stream',
      sentPath: '/v1/stream',
      query: '',
      headers: {},
      contentLength: null,
      eventId: 'evt_x',
    },
    agent: { uuid: agentId, id: 'agt_x' },
    sessionId: 'ses_x',
    body: { inspected: null, toProvider: null },
    admission: { rules: null },
    reservation: { isCapped: false, warnings: [] },
    governed: { facts: null, decisions: [], warnings: [], forwardedSha256: null },
  };
  const meter = { openPipe: () => null } as unknown as CallMeter;
  const answer = Promise.withResolvers<Answer>();
  const written = Promise.withResolvers<void>();
  const edge = await listen(
    createServer((request, response) => {
      response.on('prefinish', written.resolve);
      if (isStuck) response.socket?.write(unread);
      const exchange = { request, response } as Exchange;
      const admittedRequest = admitted as unknown as AdmittedRequest;
      void forward(context as unknown as ProxyContext, exchange, admittedRequest, meter, null).then(answer.resolve);
    }),
  );
  const agent = isStuck ? connect(Number(new URL(edge).port), '127.0.0.1').pause() : request(edge);
  agent.on('error', () => {});
  if (agent instanceof Socket) agent.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  else agent.end();
  const block = () => runningRequests.stopForbidden({ paused: false, blocked: new Set([agentId]) });
  return { agent, answer: answer.promise, isWritten: written.promise, block, upstream };
}

test('a block cuts an answer that the provider has ended and the agent has not taken, and nothing is written after its end', async () => {
  const { answer, isWritten, block, upstream } = await relay({ providerEnds: true, isStuck: true });
  await isWritten;
  block();
  // An error that nobody listens to would end the process, and fail this test.
  await new Promise((resolve) => setImmediate(resolve));
  expect((await answer).outcome).toBe('killed');
  await upstream.close();
});

test('an agent that never takes the end of its answer keeps its event open no longer than a silent provider might', async () => {
  const { answer, upstream } = await relay({ providerEnds: true, isStuck: true, upstreamTimeoutSeconds: 0.2 });
  expect((await answer).outcome).toBe('aborted');
  await upstream.close();
});

test('a block ends a stream with an error, and cuts one whose length was sent: its agent would wait for the rest', async () => {
  for (const [ofProvider, isTold] of [[{}, false] as const, [{ 'content-length': 1_000 }, true] as const]) {
    const { agent, answer, block, upstream } = await relay({ ofProvider, providerEnds: false, isStuck: false });
    const [response] = await once(agent, 'response');
    let received = '';
    const closed = new Promise((resolve) => response.on('close', resolve).on('error', () => {}));
    await new Promise<void>((resolve) =>
      response.on('data', (bytes: Buffer) => {
        received += bytes;
        if (received.includes('choices')) resolve();
      }),
    );
    block();
    await closed;
    expect(received.includes(errorTable.agent_blocked.message)).toBe(!isTold);
    expect((await answer).outcome).toBe('killed');
    await upstream.destroy();
  }
});
