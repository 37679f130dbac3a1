import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { agentSchema } from '@agp/core/contracts';
import { errorTable } from '@agp/core/errors';
import { beforeAll, describe, expect, test } from 'vitest';
import { seedAgent } from './support/seed.ts';
import { bootstrapKey, shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
let agent: string;
beforeAll(async () => {
  agent = await seedAgent(management.database, 'refused');
});

describe('an unknown path, id or method', () => {
  test.each([
    '/api/v1',
    '/api/v1/nothing',
    '/api/v2/agents',
    '/api/v1/agents/a/b/c',
    '/API/V1/AGENTS',
    '/docs/x',
    '/%ZZ',
    '//api/v1/agents',
    '/api/v1/agents/x/',
    '/api/v1/costs/summary/',
    '/openapi.json/',
  ])('is answered 404: %s', async (path) => {
    await management.refuse(await management.call(path), 404, 'not found');
  });

  test.each([
    ['GET', '/api/v1/agents/', 'agent not found'],
    ['PUT', '/api/v1/agents/', 'agent not found'],
    ['POST', '/api/v1/agents//retire', 'agent not found'],
    ['GET', '/api/v1/agents//events', 'agent not found'],
    ['GET', '/api/v1/events/', 'event not found'],
    ['GET', '/api/v1/sessions/', 'session not found'],
    ['GET', '/api/v1/lineage/', 'session not found'],
    ['DELETE', '/api/v1/keys/', 'key not found'],
  ])('is answered like any unknown id where the id is empty: %s %s', async (method, path, error) => {
    const body = method === 'PUT' ? { status: 'active' } : undefined;
    await management.refuse(await management.send(method, path, body), 404, error);
  });

  test.each([
    ['DELETE', '/api/v1/agents', 'GET, HEAD'],
    ['POST', '/api/v1/agents/x', 'GET, PUT, HEAD'],
    ['GET', '/api/v1/agents/x/retire', 'POST'],
    ['PUT', '/api/v1/events', 'GET, HEAD'],
    ['POST', '/api/v1/events/stream', 'GET, HEAD'],
    ['DELETE', '/api/v1/events/sessions/ses_x', 'GET, HEAD'],
    ['PATCH', '/api/v1/sessions/ses_x', 'GET, HEAD'],
    ['POST', '/api/v1/costs/summary', 'GET, HEAD'],
    ['PUT', '/api/v1/keys', 'POST, GET, HEAD'],
    ['GET', '/api/v1/keys/x', 'DELETE'],
    ['GET', '/api/v1/budgets/agents/x', 'PUT'],
    ['POST', '/api/v1/pause', 'GET, PUT, HEAD'],
    ['OPTIONS', '/api/v1/agents', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
  ])('is answered 405 for %s %s', async (method, path, allow) => {
    const response = await management.call(path, { method });
    expect(response.headers.get('allow')).toBe(allow);
    await management.refuse(response, 405, 'method not allowed');
  });
});

describe('parameters', () => {
  const limit = 'limit: must be a whole number from 1 to 1000';
  test.each([
    ['/api/v1/agents?limit=1&limit=2', 'limit: given more than once'],
    ['/api/v1/agents?status=active&status=blocked', 'status: given more than once'],
    ['/api/v1/events?from=2026-01-01&from=2026-01-02', 'from: given more than once'],
    ['/api/v1/events?agent_id=a&agent_id=a', 'agent_id: given more than once'],
    ['/api/v1/events?limit=-1', limit],
    ['/api/v1/events?limit=0', limit],
    ['/api/v1/events?limit=1001', limit],
    ['/api/v1/events?limit=1.5', limit],
    ['/api/v1/events?limit=', limit],
    ['/api/v1/sessions?offset=-1', 'offset: must be a whole number of at least 0'],
  ])('that are invalid are named, with what is wrong: %s', async (path, error) => {
    await management.refuse(await management.call(path), 400, error);
  });

  test('that are unknown are named once, however often they are given', async () => {
    const response = await management.call('/api/v1/agents?colour=red&colour=blue');
    await management.refuse(
      response,
      400,
      'colour: unknown parameter; those that exist: status, limit, offset, search, label, order, expand',
    );
  });
});

describe('bodies', () => {
  const put = (body: NonNullable<RequestInit['body']>, headers: Record<string, string>) =>
    management.call(`/api/v1/agents/${agent}`, { method: 'PUT', body, headers });

  test.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text', { 'content-type': 'text/plain' }],
    ['JSON by another name', { 'content-type': 'application/ld+json' }],
    ['nonsense', { 'content-type': ';;;' }],
  ])('that are %s get 415', async (_name, headers) => {
    await management.refuse(await put('{"status":"active"}', headers), 415, 'content type must be application/json');
  });

  test('in a charset or an encoding that is not read get 415', async () => {
    const unread = 'unsupported charset or content encoding';
    await management.refuse(await put('{}', { 'content-type': 'application/json; charset=klingon' }), 415, unread);
    await management.refuse(
      await put('{}', { 'content-type': 'application/json', 'content-encoding': 'compress' }),
      415,
      unread,
    );
  });

  test('that are too large get 413, compressed ones too', async () => {
    const large = JSON.stringify({ metadata: { a: 'x'.repeat(300_000) } });
    const json = { 'content-type': 'application/json' };
    await management.refuse(await put(large, json), 413, errorTable.body_too_large.message);
    const zipped = await put(gzipSync(large), { ...json, 'content-encoding': 'gzip' });
    await management.refuse(zipped, 413, errorTable.body_too_large.message);
  });

  test('that are broken get 400', async () => {
    const json = { 'content-type': 'application/json' };
    const broken = await put('no gzip', { ...json, 'content-encoding': 'gzip' });
    await management.refuse(broken, 400, 'body: not valid JSON');
    await management.refuse(await management.call(`/api/v1/agents/${agent}`, { method: 'PUT' }), 400, /^body: /);
    await management.refuse(await put('', json), 400, /^body: /);
  });

  test('may be compressed', async () => {
    const zipped = gzipSync('{"metadata":{"zipped":true}}');
    const response = await put(zipped, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    expect(agentSchema.parse(await response.json()).metadata).toEqual({ zipped: true });
  });

  test('are read after the key and its scope', async () => {
    const response = await management.call(`/api/v1/agents/${agent}`, {
      method: 'PUT',
      body: '{',
      headers: { authorization: 'Bearer wrong', 'content-type': 'text/plain' },
    });
    await management.refuse(response, 401, 'missing or invalid API key');
  });
});

describe('every answer', () => {
  test('carries the security headers, and nothing that names the framework or may be cached', async () => {
    for (const path of ['/api/v1/agents', '/api/v1/nothing', '/', '/docs', '/openapi.json']) {
      const { headers } = await management.call(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('etag')).toBeNull();
    }
  });

  test('to HEAD has no body', async () => {
    for (const path of ['/api/v1/agents', '/api/v1/events', '/api/v1/events/stream']) {
      const response = await management.call(path, { method: 'HEAD' });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('');
    }
  });

  test('is counted under its pattern, never under what the caller wrote', async () => {
    await management.call('/api/v1/agents/agt_secret-in-path');
    await management.call('/nowhere/secret-in-path');
    await new Promise<void>((resolve) => {
      const { port } = new URL(management.service.url);
      const odd = httpRequest({
        port,
        method: 'PURGE',
        path: '/',
        headers: { authorization: `Bearer ${bootstrapKey}` },
      });
      odd.on('response', (response) => response.resume().on('end', resolve)).end();
    });
    const metrics = await (await fetch(`${management.service.opsUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /agp_management_requests_total\{method="GET",route="\/api\/v1\/agents\/\{id\}",status="404"\}/,
    );
    expect(metrics).toMatch(/agp_management_requests_total\{method="GET",route="unknown",status="404"\}/);
    expect(metrics).toMatch(/method="other"/);
    expect(metrics).toMatch(/agp_management_request_duration_seconds_bucket/);
    expect(metrics).toMatch(/agp_management_open_streams 0/);
    expect(metrics).not.toContain('secret-in-path');
  });
});
