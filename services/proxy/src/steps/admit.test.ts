import { errorTable } from '@agp/core/errors';
import { expect, test, vi } from 'vitest';
import type { ProxyContext } from '../context.ts';
import type { Agent } from '../identity/workload.ts';
import type { Head } from '../journey.ts';
import { admit } from './admit.ts';

test.each([
  ['/files/file-1', '/files/file-1'],
  [`/${'a'.repeat(600)}`, `/${'a'.repeat(511)}`],
  [`/agp_${'a'.repeat(43)}`, null],
])('the log names the compared path %s, bounded and without a token', async (path, shown) => {
  const pathNotAllowed = vi.fn();
  const context = {
    config: { agentIdentity: 'open' },
    storage: { readAdmission: async () => ({ status: 'active', nameIsClaimed: false, tokenIsValid: false }) },
    warnings: { pathNotAllowed },
  } as unknown as ProxyContext;
  const provider = { id: 'acme', allowPaths: [{ method: null, path: '/v1/files', isPrefix: false }] };
  const head = {
    sessionName: null,
    identityVersion: null,
    provider,
    method: 'GET',
    path,
    operation: null,
    requestId: 'r',
  } as unknown as Head;
  await expect(admit(context, head, { id: 'agt_1', tokenId: null, claim: null } as Agent, 0)).rejects.toThrow(
    errorTable.path_not_allowed.message,
  );
  expect(pathNotAllowed.mock.calls).toEqual([
    [{ requestId: 'r', agentId: 'agt_1', provider: 'acme', method: 'GET', path: shown }],
  ]);
});
