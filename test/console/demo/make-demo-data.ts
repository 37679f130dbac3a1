import { runDemo } from '../../../packages/local-stack/src/demo/run-demo.ts';
import { type System, waitFor } from '../../system/start-system.ts';
import { makeHistory } from './make-history.ts';

/** What the screens of one thing show. */
export interface DemoData {
  agentId: string;
  sessionId: string;
  /** With personal data. */
  eventId: string;
  /** The request id of one that was refused. */
  refusedId: string;
  /** One that has been enforced. */
  policyId: string;
  /** Sends one more request of an agent, and gives its answer's headers. */
  ask(agent: string, model: string, content: string, session?: string, tools?: readonly string[]): Promise<Headers>;
}

interface ShownAgent {
  id: string;
  name: string;
  cost_today_usd: number;
}

const refund = [
  'Anna Meier (anna.meier@example.com) asks where her refund is. What do we need to know first?',
  'She sent her account: DE89 3704 0044 0532 0130 00. Which team pays it out?',
  'Write her a short answer, without promising a date.',
  'She answers that +49 30 901820 is the number to call. Add that to the ticket.',
];

const policies = [
  {
    name: 'no-shell',
    match: { agents: ['release-notes'] },
    tools: { client: { deny: ['shell', 'mcp__*__delete_*'] } },
    refusal: 'Ask the platform team ({rule})',
  },
  { name: 'small-models', match: { agents: ['contract-reader', 'stock-forecast'] }, models: { allow: ['gpt-5-mini'] } },
  { name: 'contracts', mode: 'warn', match: { tags: ['legal'] }, limits: { max_output_tokens: 4_000, over: 'lower' } },
];

/**
 * Fills a system as some days would: conversations, personal data, caps, a blocked agent, policies, refusals, an unpriced model, keys.
 *
 * @param rounds how often the agents of the demo hold their conversations
 */
export async function makeDemoData(system: System, rounds = 3): Promise<DemoData> {
  const proxyUrl = system.proxies[0]?.url ?? '';
  const change = (method: string, path: string, body?: object) =>
    system.api<{ id: string }>(path, { method, ...(body && { body: JSON.stringify(body) }) });

  async function ask(
    agent: string,
    model: string,
    content: string,
    session = `${agent} today`,
    tools: readonly string[] = [],
  ): Promise<Headers> {
    const answer = await fetch(`${proxyUrl}/demo/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': agent, 'x-session-id': session },
      body: JSON.stringify({
        ...{ model, messages: [{ role: 'user', content }] },
        ...(tools.length > 0 && { tools: tools.map((name) => ({ type: 'function', function: { name } })) }),
      }),
    });
    await answer.text();
    return answer.headers;
  }

  const demo = { proxyUrl, managementUrl: system.management.url, managementKey: system.apiKey };
  await runDemo(demo, () => {});
  // Before the rest, so that what is recorded last is of now.
  const known = await system.api<ShownAgent[]>('/api/v1/agents');
  await makeHistory(system, new Map(known.map(({ id, name }) => [name, id])));
  for (let round = 1; round < rounds; round += 1) await runDemo(demo, () => {});
  const [noShell] = await Promise.all(policies.map((policy) => change('POST', '/api/v1/policies', policy)));
  const policyId = noShell?.id ?? '';
  await change('PUT', `/api/v1/policies/${policyId}?reason=tried%20for%20a%20week`, {
    ...policies[0],
    mode: 'enforce',
  });
  let last = new Headers();
  for (const question of refund)
    last = await ask('support-triage', 'gpt-5-mini', question, 'refund of order 4711', ['find_order', 'send_mail']);
  for (const page of ['new', 'old'])
    await ask('release-notes', 'gpt-5-mini', `Tidy the ${page} page.`, page, ['shell']);
  for (const page of ['first', 'second', 'third'])
    await ask('night-report', 'gpt-4.1', `Put the ${page} page of the figures into words.`);
  await ask('stock-forecast', 'in-house-7b', 'How many pallets will Lyon need in May?');
  const failed = await ask('night-report', 'gpt-4.1', 'Once more, please. x-demo-status: 500');
  for (const headers of [last, failed]) {
    const path = `/api/v1/events/${headers.get('x-event-id')}`;
    await waitFor('the record', () => system.api(path).catch(() => undefined));
  }

  const agents = await system.api<ShownAgent[]>('/api/v1/agents?expand=usage');
  const find = (name: string) => agents.find((agent) => agent.name === name) as ShownAgent;
  const setCap = (name: string, part: number) => {
    const { id, cost_today_usd } = find(name);
    return change('PUT', `/api/v1/budgets/agents/${id}`, { daily_cap_usd: cost_today_usd / part });
  };
  await change('PUT', '/api/v1/budgets/global', { daily_cap_usd: 0.5 });
  await setCap('contract-reader', 0.86);
  await setCap('support-triage', 0.4);
  await setCap('warehouse-planner', 1);
  await change('PUT', `/api/v1/agents/${find('night-report').id}?reason=runs%20in%20a%20loop`, { status: 'blocked' });
  await change('POST', `/api/v1/agents/${find('stock-forecast').id}/retire?reason=replaced`);
  await change('POST', '/api/v1/keys', { name: 'dashboard', scopes: ['read'] });
  await change('POST', '/api/v1/agent-tokens', { agent_name: 'contract-reader' });

  let refused = new Headers();
  for (let turn = 0; turn < 5; turn += 1) refused = await ask('night-report', 'gpt-4.1', 'And the next page?');
  for (let turn = 0; turn < 2; turn += 1) await ask('warehouse-planner', 'gpt-4o-mini', 'And for next week?');
  const refusedId = refused.get('x-agp-request-id') ?? '';
  const listed = () => system.api<{ request_id: string }[]>('/api/v1/refusals?limit=50');
  await waitFor('the refusals', async () => (await listed().catch(() => [])).length >= 9);
  return {
    agentId: last.get('x-agent-id') ?? '',
    sessionId: last.get('x-session-id') ?? '',
    eventId: last.get('x-event-id') ?? '',
    refusedId,
    policyId,
    ask,
  };
}
