import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { toPublicId } from '@agp/core/ids';
import { createConsoleSession } from '@agp/db';
import { insertAlert, insertDelivery } from '@agp/testing/events';
import { expect } from 'vitest';
import { seedAgent } from './seed.ts';
import type { TestManagement } from './start-test-management.ts';

/** A call that changes something, and what its entry in the audit log must hold. */
export interface AuditedChange {
  path: string;
  body?: unknown;
  entry: { action: string; agent_id: string | null; target: unknown; before: object | null; after: object | null };
}

interface Made {
  id: string;
  secret: string;
}

async function make(management: TestManagement, path: string, body: object): Promise<Made> {
  const response = await management.send('POST', path, body);
  expect(response.status).toBe(201);
  return (await response.json()) as Made;
}

/** A change of an agent that exists; `before` and `after` are as its entry has them. */
function ofAgent(action: string, path: string, body: unknown, before: object, after: object) {
  return async ({ database }: TestManagement): Promise<AuditedChange> => {
    const id = await seedAgent(database, randomUUIDv7());
    const entry = { action, agent_id: id, target: id, before, after };
    return { path: path.replace('{id}', id), body, entry };
  };
}

/** A change of what holds for all agents, whatever it was before. */
function ofAll(action: string, path: string, body: object, after: object) {
  return async (): Promise<AuditedChange> => ({
    path,
    body,
    entry: { action, agent_id: null, target: null, before: expect.any(Object), after },
  });
}

/** What is made, changed and removed whole, with a version. */
function ofDocuments(
  path: string,
  prefix: string,
  action: string,
  given: object | ((name: string) => object),
  then: object,
  member = action,
) {
  const begin = (name: string) => ({ name, ...(typeof given === 'function' ? given(name) : given) });
  const of = (version: number, parts: object) => ({ version, [member]: expect.objectContaining(parts) });
  const changes: Record<string, (management: TestManagement) => Promise<AuditedChange>> = {
    [`post ${path}`]: async () => ({
      path,
      body: begin('new'),
      entry: {
        ...{ action: `${action}.create`, agent_id: null, before: null },
        ...{ target: expect.stringMatching(`^${prefix}_`), after: of(1, begin('new')) },
      },
    }),
    [`put ${path}/{id}`]: async (management) => {
      const first = begin('changed');
      const { id } = await make(management, path, first);
      return {
        path: `${path}/${id}`,
        body: { ...first, ...then },
        entry: {
          ...{ action: `${action}.update`, agent_id: null, target: id },
          ...{ before: of(1, first), after: of(2, { ...first, ...then }) },
        },
      };
    },
    [`delete ${path}/{id}`]: async (management) => {
      const { id } = await make(management, path, begin('removed'));
      const before = of(1, { name: 'removed' });
      return {
        path: `${path}/${id}`,
        entry: { action: `${action}.delete`, agent_id: null, target: id, before, after: null },
      };
    },
  };
  return changes;
}

/** A session of the console, as a sign-in would have left it. */
async function seedConsoleSession({ database }: TestManagement): Promise<string> {
  const uuid = randomUUIDv7();
  await createConsoleSession(database.db, {
    id: uuid,
    tokenSha256: randomBytes(32),
    owner: { issuer: 'https://id.test', subject: 'ada' },
    name: 'ada',
    role: 'viewer',
    match: null,
    sourceIp: '127.0.0.1',
    expiresAt: new Date(Date.now() + 60_000),
  });
  return toPublicId('con', uuid);
}

const view = { screen: '/events', name: 'of sales', query: '?failed=true', shared: true };
const key = { name: 'dashboard', scopes: ['read'] };
const [rules, targets] = ['/api/v1/notification-rules', '/api/v1/notification-targets'];
const issuer = (name: string) => ({
  ...{ issuer: `https://${name}.test`, audiences: ['agp'], keys: { discovery: true } },
  rules: [{ name: 'all', match: {}, agent: 'k8s.{sub}', labels: {} }],
});
const hook = { kind: 'webhook', url: 'https://127.0.0.1:9/' };
const metadata = { team: 'ops', '10': 1, '9': [null, 'é'] };

/** One call of each route that changes something, by method and path. */
export const auditedChanges: Record<string, (management: TestManagement) => Promise<AuditedChange>> = {
  'put /api/v1/agents/{id}': ofAgent(
    'agent.update',
    '/api/v1/agents/{id}',
    { status: 'blocked', metadata },
    { status: 'active', metadata: {} },
    { status: 'blocked', metadata },
  ),
  'post /api/v1/agents/{id}/retire': ofAgent(
    'agent.retire',
    '/api/v1/agents/{id}/retire',
    undefined,
    { status: 'active', metadata: {} },
    { status: 'retired', metadata: {} },
  ),
  'put /api/v1/budgets/agents/{id}': ofAgent(
    'budget.agent.set',
    '/api/v1/budgets/agents/{id}',
    { daily_cap_usd: 2.5 },
    { daily_cap_usd: null, warn_only: false },
    { daily_cap_usd: 2.5, warn_only: false },
  ),
  'put /api/v1/limits/agents/{id}': ofAgent(
    'limit.agent.set',
    '/api/v1/limits/agents/{id}',
    { requests_per_minute: 30 },
    { requests_per_minute: null },
    { requests_per_minute: 30 },
  ),
  'post /api/v1/console/links': async () => ({
    path: '/api/v1/console/links',
    entry: {
      action: 'console.link',
      agent_id: null,
      target: null,
      before: null,
      after: { expires_at: expect.any(String) },
    },
  }),
  'delete /api/v1/console/sessions/{id}': async (management) => {
    const id = await seedConsoleSession(management);
    const before = expect.objectContaining({ id, kind: 'oidc', name: 'ada', role: 'viewer' });
    return {
      path: `/api/v1/console/sessions/${id}`,
      entry: { action: 'console.revoke', agent_id: null, target: id, before, after: null },
    };
  },
  'post /api/v1/console/views': async () => ({
    path: '/api/v1/console/views',
    body: view,
    entry: {
      ...{ action: 'view.save', agent_id: null, target: expect.stringMatching(/^viw_/), before: null },
      after: expect.objectContaining(view),
    },
  }),
  'delete /api/v1/console/views/{id}': async (management) => {
    const { id } = await make(management, '/api/v1/console/views', { ...view, name: 'that goes' });
    const before = expect.objectContaining({ ...view, name: 'that goes' });
    const path = `/api/v1/console/views/${id}`;
    return { path, entry: { action: 'view.delete', agent_id: null, target: id, before, after: null } };
  },
  'put /api/v1/budgets/global': ofAll(
    'budget.global.set',
    '/api/v1/budgets/global',
    { daily_cap_usd: 100 },
    { daily_cap_usd: 100, warn_only: false },
  ),
  'put /api/v1/budgets/default': ofAll(
    'budget.default.set',
    '/api/v1/budgets/default',
    { daily_cap_usd: 7 },
    { daily_cap_usd: 7, warn_only: false },
  ),
  'put /api/v1/limits/default': ofAll(
    'limit.default.set',
    '/api/v1/limits/default',
    { requests_per_minute: 60 },
    { requests_per_minute: 60 },
  ),
  'put /api/v1/pause': ofAll('pause.set', '/api/v1/pause', { paused: true }, { paused: true }),
  'post /api/v1/keys': async () => ({
    path: '/api/v1/keys',
    body: key,
    entry: {
      action: 'key.create',
      agent_id: null,
      target: expect.stringMatching(/^key_/),
      before: null,
      after: expect.objectContaining(key),
    },
  }),
  'post /api/v1/keys/{id}/rotate': async (management) => {
    const { id } = await make(management, '/api/v1/keys', key);
    return {
      path: `/api/v1/keys/${id}/rotate`,
      body: { overlap_seconds: 60 },
      entry: {
        action: 'key.rotate',
        agent_id: null,
        target: id,
        before: expect.objectContaining({ id, previous_secret_expires_at: null }),
        after: expect.objectContaining({ id, previous_secret_expires_at: expect.any(String) }),
      },
    };
  },
  'delete /api/v1/keys/{id}': async (management) => {
    const { id } = await make(management, '/api/v1/keys', key);
    const before = expect.objectContaining({ id, ...key });
    return {
      path: `/api/v1/keys/${id}`,
      entry: { action: 'key.delete', agent_id: null, target: id, before, after: null },
    };
  },
  'post /api/v1/agent-tokens': async () => ({
    path: '/api/v1/agent-tokens',
    body: { agent_name: 'invoice-checker' },
    entry: {
      action: 'agent_token.create',
      agent_id: null,
      target: expect.stringMatching(/^tok_/),
      before: null,
      after: expect.objectContaining({ agent_name: 'invoice-checker', expires_at: null }),
    },
  }),
  'delete /api/v1/agent-tokens/{id}': async (management) => {
    const { id } = await make(management, '/api/v1/agent-tokens', { agent_name: 'clause-finder' });
    const before = expect.objectContaining({ id, agent_name: 'clause-finder' });
    return {
      path: `/api/v1/agent-tokens/${id}`,
      entry: { action: 'agent_token.delete', agent_id: null, target: id, before, after: null },
    };
  },
  'delete /api/v1/claimed-names/{name}': async (management) => {
    const name = 'free again';
    const { id } = await make(management, '/api/v1/agent-tokens', { agent_name: name });
    await management.call(`/api/v1/agent-tokens/${id}`, { method: 'DELETE' });
    return {
      path: `/api/v1/claimed-names/${encodeURIComponent(name)}`,
      entry: { action: 'name.release', agent_id: null, target: name, before: { name }, after: null },
    };
  },
  ...ofDocuments('/api/v1/budgets', 'bud', 'budget', { amount: 5, window: 'day' }, { amount: 7 }),
  ...ofDocuments('/api/v1/identities', 'idp', 'identity', issuer, { audiences: ['agp', 'sts'] }),
  'post /api/v1/agents/{id}/adopt': async (management) => {
    const named = { identity: 'adopting', name: 'k8s.nightly' };
    await make(management, '/api/v1/identities', { name: named.identity, ...issuer(named.identity) });
    const id = await seedAgent(management.database, randomUUIDv7());
    const entry = { action: 'agent.adopt', agent_id: id, target: id, before: null, after: named };
    return { path: `/api/v1/agents/${id}/adopt`, body: named, entry };
  },
  ...ofDocuments('/api/v1/policies', 'pol', 'policy', { mode: 'observe' }, { mode: 'enforce' }),
  ...ofDocuments(rules, 'nru', 'notification_rule', { on: 'failing' }, { severity: 'info' }, 'rule'),
  ...ofDocuments(targets, 'ntg', 'notification_target', hook, { description: 'ours' }, 'target'),
  'post /api/v1/notification-targets/{id}/test': async (management) => {
    const { id } = await make(management, targets, { name: 'tested', ...hook });
    const after = { target: { name: 'tested' } };
    const entry = { action: 'notification_target.test', agent_id: null, target: id, before: null, after };
    return { path: `${targets}/${id}/test`, body: {}, entry };
  },
  'post /api/v1/notification-deliveries/{id}/resend': async (management) => {
    const { id: target } = await make(management, targets, { name: 'gone', ...hook });
    const id = await insertDelivery(management.database.pool, { target, isDead: true });
    const after = { occasion: 'opened' };
    const entry = { action: 'notification.resend', agent_id: null, target: id, before: null, after };
    return { path: `/api/v1/notification-deliveries/${id}/resend`, body: {}, entry };
  },
  'post /api/v1/alerts/{id}/acknowledge': async ({ database }) => {
    const id = await insertAlert(database.pool, { title: 'agent nightly fails' });
    const of = (state: string, by: string | null) => ({ title: 'agent nightly fails', state, acknowledged_by: by });
    return {
      path: `/api/v1/alerts/${id}/acknowledge`,
      body: {},
      entry: {
        ...{ action: 'alert.acknowledge', agent_id: null, target: id },
        ...{ before: of('open', null), after: of('acknowledged', 'bootstrap') },
      },
    };
  },
};
