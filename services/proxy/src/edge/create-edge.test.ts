import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@agp/runtime';
import { expect, onTestFinished, test } from 'vitest';
import type { ProxyContext } from '../context.ts';
import { createEdge } from './create-edge.ts';

test('a request whose end fails inside the proxy gets a plain 500, and no longer counts as running', async () => {
  const load = { running: 0, promised: 0, nextProducerSeq: 0 };
  const broken = () => {
    throw new Error('secret detail');
  };
  const config = { providers: new Map(), trustProxy: 0 };
  const callers = { greet: () => false };
  const context = {
    config,
    callers,
    load,
    logger: createLogger('proxy', 'silent'),
    metrics: { refusals: { inc: broken } },
  };
  const server = createServer(createEdge(context as unknown as ProxyContext)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/nowhere/v1/models`);
  expect([answer.status, await answer.json()]).toEqual([500, { error: 'governance proxy: internal error' }]);
  expect(load.running).toBe(0);
});
