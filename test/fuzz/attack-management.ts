import fc from 'fast-check';
import type { System } from '../system/start-system.ts';

const paths = [
  ...['/api/v1/agents', '/api/v1/events', '/api/v1/sessions', '/api/v1/costs/summary', '/api/v1/costs/breakdown'],
  ...[
    '/api/v1/costs/unpriced',
    '/api/v1/costs/unrecorded',
    '/api/v1/costs/doubtful',
    '/api/v1/budgets',
    '/api/v1/limits',
  ],
  ...[
    '/api/v1/audit',
    '/api/v1/audit/chain',
    '/api/v1/keys',
    '/api/v1/agent-tokens',
    '/api/v1/provider-keys',
    '/api/v1/claimed-names',
    '/api/v1/pause',
  ],
  ...['/openapi.json', '/docs', '/', '/nothing', '/api/v1/lineage/removals'],
];

const id = fc.oneof(
  fc.constantFrom(
    'agt_',
    'evt_01',
    'ses_x',
    '%00',
    '..%2f',
    'agt_00000000000000000000000000',
    '%F0%9F%98%80',
    "' OR 1=1",
  ),
  fc.string({ maxLength: 40 }).map(encodeURIComponent),
);
const target = fc.oneof(
  fc.constantFrom(...paths),
  fc
    .tuple(
      fc.constantFrom(
        '/api/v1/agents/',
        '/api/v1/events/',
        '/api/v1/sessions/',
        '/api/v1/lineage/',
        '/api/v1/budgets/agents/',
      ),
      id,
    )
    .map(([path, text]) => path + text),
);
const parameter = fc.tuple(
  fc.constantFrom(
    'limit',
    'offset',
    'agent_id',
    'session_id',
    'cursor',
    'from',
    'to',
    'recorded_after',
    'model',
    'status',
    'pii_detected',
    'x',
  ),
  fc.oneof(
    fc.constantFrom('-1', '1e9', '9999999999999999999', 'NaN', '[]', '%00', '2026-13-45', '1'),
    fc.string({ maxLength: 30 }).map(encodeURIComponent),
  ),
);
const body = fc.oneof(
  fc.json(),
  fc.constantFrom(
    `${'[1,'.repeat(10_000)}"x`,
    '',
    '{',
    'null',
    '"\\ud800"',
    '{"status":"blocked","__proto__":{}}',
    `{"metadata":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
  ),
  fc.jsonValue().map((metadata) => JSON.stringify({ metadata })),
);

const call = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'PUT', 'POST', 'DELETE', 'PATCH'),
  target,
  query: fc.array(parameter, { maxLength: 3 }),
  body,
  type: fc.constantFrom('application/json', 'text/plain', 'application/json; charset=utf-16'),
});

/** Nothing here may stop everything, or make and take away keys: other attacks go on meanwhile. */
const isLeftAlone = (path: string) => /^\/api\/v1\/(?:pause|keys|agent-tokens|claimed-names|budgets|limits)/.test(path);

/** Calls of the management API that nobody means, with a key that may do everything. @returns each answer of 500 */
export async function attackManagement({ management, apiKey }: System, seed: number, count = 15): Promise<string[]> {
  const faults: string[] = [];
  for (const { method, target: path, query, body: text, type } of fc.sample(call, { seed, numRuns: count })) {
    const reads = method === 'GET' || isLeftAlone(path);
    const url = `${management.url}${path}${query.length > 0 ? `?${query.map((pair) => pair.join('=')).join('&')}` : ''}`;
    const answer = await fetch(url, {
      method: reads ? 'GET' : method,
      headers: { authorization: `Bearer ${apiKey}`, ...(reads ? {} : { 'content-type': type }) },
      ...(reads ? {} : { body: text }),
    }).catch((error: Error) => error);
    if (answer instanceof Error) faults.push(`management did not answer ${method} ${url}: ${answer.message}`);
    else {
      await answer.body?.cancel();
      if (answer.status === 500) faults.push(`500 from management: ${method} ${url} ${text.slice(0, 200)}`);
    }
  }
  return faults;
}
