import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, test } from 'vitest';
import { listRoutes } from '../src/routes/index.ts';
import { shareTestManagement } from './support/start-test-management.ts';

interface Operation {
  operationId: string;
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: Record<string, unknown> }[];
  requestBody?: { content: Record<string, { schema: unknown }> };
  responses: Record<string, { description: string; headers?: object; content?: Record<string, { schema: unknown }> }>;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: object; required?: string[]; additionalProperties?: unknown }> };
}

const management = shareTestManagement();
let document: Document;
beforeAll(async () => {
  document = (await (await fetch(`${management.service.url}/openapi.json`)).json()) as Document;
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ path, method, operation })),
  );

describe('openapi.json', () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document) as object as Record<string, unknown>);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  test('holds every route of the service and no other', async () => {
    const routes = listRoutes().map(({ method, path }) => `${method} ${path}`);
    expect(
      operations()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual([...routes].sort());
    // The list is what Express has: each route answers something else than 404 `not found` or 405.
    for (const { method, path } of operations()) {
      const response = await management.call(path.replace(/\{\w+\}/g, 'x'), {
        method: method.toUpperCase(),
        signal: AbortSignal.timeout(5_000),
      });
      expect(response.status, `${method} ${path}`).not.toBe(405);
      if (response.status === 404) {
        expect(((await response.json()) as { error: string }).error, `${method} ${path}`).not.toBe('not found');
      } else {
        await response.body?.cancel();
      }
    }
  });

  test('has the endpoints of the document', () => {
    const api = operations()
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
      .filter((line) => line.includes('/api/'));
    expect(api.sort()).toEqual(
      [
        'GET /api/v1/agents',
        'GET /api/v1/agents/labels',
        'GET /api/v1/agents/{id}',
        'PUT /api/v1/agents/{id}',
        'POST /api/v1/agents/{id}/retire',
        'GET /api/v1/agents/{id}/events',
        'GET /api/v1/agents/{id}/overview',
        'GET /api/v1/agents/{id}/tools',
        'GET /api/v1/events',
        'GET /api/v1/events/{id}',
        'GET /api/v1/events/{id}/detail',
        'GET /api/v1/refusals',
        'GET /api/v1/status',
        'GET /api/v1/prices',
        'GET /api/v1/provider-keys',
        'GET /api/v1/events/sessions/{session_id}',
        'GET /api/v1/events/stream',
        'GET /api/v1/sessions',
        'GET /api/v1/sessions/{id}',
        'GET /api/v1/costs/summary',
        'GET /api/v1/costs/breakdown',
        'GET /api/v1/costs/usage',
        'GET /api/v1/costs/unpriced',
        'GET /api/v1/costs/doubtful',
        'GET /api/v1/costs/reconciliation',
        'GET /api/v1/costs/unrecorded',
        'GET /api/v1/costs/unrecorded/{id}',
        'GET /api/v1/budgets',
        'PUT /api/v1/budgets/global',
        'PUT /api/v1/budgets/default',
        'PUT /api/v1/budgets/agents/{id}',
        'GET /api/v1/limits',
        'PUT /api/v1/limits/default',
        'PUT /api/v1/limits/agents/{id}',
        'GET /api/v1/pause',
        'PUT /api/v1/pause',
        'GET /api/v1/policies',
        ...[
          'GET /api/v1/budgets/list',
          'GET /api/v1/budgets/explain',
          'POST /api/v1/budgets/preview',
          'POST /api/v1/budgets',
        ],
        ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /api/v1/budgets/{id}`),
        'POST /api/v1/agents/{id}/adopt',
        ...['GET', 'POST'].map((method) => `${method} /api/v1/identities`),
        ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /api/v1/identities/{id}`),
        'POST /api/v1/identities/try',
        'POST /api/v1/policies',
        'POST /api/v1/policies/preview',
        'POST /api/v1/policies/try',
        'GET /api/v1/policies/tools',
        'GET /api/v1/policies/{id}',
        'GET /api/v1/policies/{id}/refusals',
        'PUT /api/v1/policies/{id}',
        'DELETE /api/v1/policies/{id}',
        'GET /api/v1/lineage/removals',
        'GET /api/v1/lineage/{session_id}',
        'GET /api/v1/lineage/{session_id}/removed',
        'GET /api/v1/lineage/{session_id}/verify',
        'GET /api/v1/audit',
        'GET /api/v1/audit/chain',
        'GET /api/v1/audit/verify',
        'POST /api/v1/console/links',
        'GET /api/v1/console/sessions',
        'DELETE /api/v1/console/sessions/{id}',
        'GET /api/v1/console/views',
        'POST /api/v1/console/views',
        'DELETE /api/v1/console/views/{id}',
        'GET /api/v1/keys',
        'POST /api/v1/keys',
        'POST /api/v1/keys/{id}/rotate',
        'DELETE /api/v1/keys/{id}',
        'GET /api/v1/agent-tokens',
        'POST /api/v1/agent-tokens',
        'DELETE /api/v1/agent-tokens/{id}',
        'GET /api/v1/claimed-names',
        'DELETE /api/v1/claimed-names/{name}',
        ...['GET /api/v1/alerts', 'GET /api/v1/alerts/{id}', 'POST /api/v1/alerts/{id}/acknowledge'],
        ...['rules', 'targets'].flatMap((documents) => [
          ...['GET', 'POST'].map((method) => `${method} /api/v1/notification-${documents}`),
          ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /api/v1/notification-${documents}/{id}`),
        ]),
        'POST /api/v1/notification-rules/preview',
        'POST /api/v1/notification-targets/{id}/test',
        'GET /api/v1/notification-deliveries',
        'POST /api/v1/notification-deliveries/{id}/resend',
      ].sort(),
    );
  });

  test('names every operation once, with its parameters, answers and errors', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, method, operation } of operations()) {
      const inPath = operation.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
      expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      const errors = Object.keys(operation.responses).filter((status) => status >= '400');
      const expected = operation.security?.length === 0 ? ['500'] : ['401', '403', '429', '500', '503'];
      expect(errors, `${method} ${path}`).toEqual(expect.arrayContaining(expected));
      if (operation.requestBody) expect(errors).toEqual(expect.arrayContaining(['400', '413', '415']));
      for (const status of errors) {
        expect(operation.responses[status]?.content).toEqual({
          'application/json': { schema: { $ref: '#/components/schemas/Error' } },
        });
      }
    }
  });

  test('says what the parameters of the event list are', () => {
    const parameters = document.paths['/api/v1/events']?.get?.parameters ?? [];
    const names =
      'policy rule decision failed limit agent_id session_id from to recorded_after model provider compliance_tag label pii_detected pii_type outcome http_status request_id provider_request_id total cursor offset expand';
    expect(parameters.map(({ name }) => name).sort()).toEqual(names.split(' ').sort());
    expect(parameters.every(({ required }) => required !== true)).toBe(true);
    const limit = parameters.find(({ name }) => name === 'limit');
    expect(limit?.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 1000, default: 50 });
  });

  test('has the fields of the document in its schemas, and no more', () => {
    const fields = (name: string) => Object.keys(document.components.schemas[name]?.properties ?? {}).sort();
    const event = fields('Event');
    expect(event).toHaveLength(15);
    const required = (name: string) => document.components.schemas[name]?.required?.toSorted();
    expect(required('ListedAgentEvent')).toEqual(
      event.filter((field) => !['direction', 'provider', 'total_tokens', 'pii_types'].includes(field)),
    );
    // What a list has only if it is asked for is not required.
    expect(required('SessionEvent')).toEqual(event.filter((field) => field !== 'provider'));
    expect(required('StreamEvent')).toEqual(
      event.filter((field) => !['direction', 'provider', 'total_tokens', 'pii_types'].includes(field)),
    );
    expect(required('ListedEvent')).toEqual(event);
    expect(document.components.schemas.AgentUpdate).toMatchObject({
      additionalProperties: false,
      properties: { metadata: { type: 'object' } },
    });
  });
});

test('editors get the schema of a policy without a key', async () => {
  const answer = await fetch(`${management.service.url}/policy.schema.json`);
  expect(await answer.json()).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    $ref: '#/definitions/Policy',
    definitions: {
      Policy: {
        required: ['name'],
        additionalProperties: false,
        properties: { models: { properties: { allow: { items: { pattern: '^[^*]*\\*?$' } } } } },
      },
    },
  });
});

describe('the pages', () => {
  test('at / leads to /docs, and /docs loads nothing from elsewhere', async () => {
    const get = (path: string) => fetch(`${management.service.url}${path}`);
    expect(await (await get('/')).text()).toContain('<div id="root">');
    const docs = await get('/docs');
    expect(docs.headers.get('content-security-policy')).toContain("script-src 'self';");
    const page = await docs.text();
    expect(page).not.toMatch(/https?:\/\//);
    const assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string);
    expect(assets.length).toBeGreaterThan(2);
    for (const path of assets) {
      const response = await get(path);
      expect(response.status, path).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
      expect(response.headers.get('content-type')).toMatch(/javascript|css|png/);
    }
    expect(await (await get('/docs/')).text()).toBe(page);
    expect((await get('/docs/package.json')).status).toBe(404);
    expect((await get('/docs/..%2Fpackage.json')).status).toBe(404);
  });
});
