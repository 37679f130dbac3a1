import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '@agp/core/json';
import { type DemoConfig, DemoNotReadyError } from './demo-config.ts';
import { recordPastDays } from './past-days.ts';
import { type DemoResult, runDemo } from './run-demo.ts';

/** What the screens of one thing show. */
export interface Scene {
  agentId: string;
  sessionId: string;
  /** With personal data. */
  eventId: string;
  /** The request id of one that was refused. */
  refusedId: string;
  /** One that has been enforced. */
  policyId: string;
  /** Of the first conversations. */
  result: DemoResult;
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

const teams = {
  'support-triage': 'support',
  'release-notes': 'product',
  'contract-reader': 'legal',
  'warehouse-planner': 'logistics',
};

/** When an exception ends. */
const untilTomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

const policies = [
  {
    name: 'no-shell',
    match: { agents: ['release-notes'] },
    tools: { client: { deny: ['shell', 'mcp__*__delete_*'] } },
    description: 'Nobody deletes anything by a tool until the sandbox is there.',
    refusal: 'Ask the platform team ({rule})',
  },
  {
    name: 'small-models',
    match: { agents: ['contract-reader', 'stock-forecast'] },
    models: { allow: ['gpt-5-mini'] },
    exceptions: [{ match: { agents: ['stock-forecast'] }, until: untilTomorrow(), reason: 'compared until tomorrow' }],
  },
  { name: 'contracts', mode: 'warn', match: { tags: ['legal'] }, limits: { max_output_tokens: 4_000, over: 'lower' } },
];

const openAsk =
  (proxyUrl: string): Scene['ask'] =>
  async (agent, model, content, session = `${agent} today`, tools = []) => {
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
  };

/** An agent two of whose three calls fail, so that it can be found. */
export async function failOften({ proxyUrl }: DemoConfig, calls: number): Promise<void> {
  const ask = openAsk(proxyUrl);
  for (let call = 0; call < calls; call += 1)
    await ask('invoice-import', 'gpt-5-mini', `Read invoice ${call}.${call % 3 ? ' x-demo-status: 500' : ''}`);
}

/** How long it may take until what was asked for is recorded, in milliseconds. */
const recordedWithinMs = 60_000;

async function waitFor<Value>(what: string, read: () => Promise<Value>): Promise<NonNullable<Value>> {
  for (const deadline = Date.now() + recordedWithinMs; Date.now() < deadline; await sleep(100)) {
    const value = await read();
    if (value) return value;
  }
  throw new DemoNotReadyError(`${what} did not come: is the writer up?`);
}

/**
 * Fills a system as some days would: days before, conversations, personal data, labels, caps, a blocked agent, policies with an exception,
 * refusals, budgets, a failing agent, an unpriced model, keys.
 *
 * @param databaseUrl as its owner, for the days before
 * @param rounds how often the agents of the demo hold their conversations
 */
export async function setScene(
  demo: DemoConfig,
  databaseUrl: string,
  { rounds = 3, onTurn = () => {} }: { rounds?: number; onTurn?(agent: string): void } = {},
): Promise<Scene> {
  const { proxyUrl, managementUrl, managementKey } = demo;
  const headers = { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' };
  async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(managementUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new DemoNotReadyError(`${method} ${path} answered ${answer.status}: ${text.slice(0, 200)}`);
    return (text === '' ? {} : parseJson(text)) as Answer;
  }
  const read = <Answer>(path: string) => call<Answer>('GET', path);
  const change = (method: string, path: string, body?: object) => call<{ id: string }>(method, path, body);

  const ask = openAsk(proxyUrl);

  const result = await runDemo(demo, onTurn);
  // Before the rest, so that what is recorded last is of now.
  const known = await read<ShownAgent[]>('/api/v1/agents');
  await recordPastDays(databaseUrl, new Map(known.map(({ id, name }) => [name, id])));
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
    await waitFor('the record', () => read(path).catch(() => undefined));
  }

  const agents = await read<ShownAgent[]>('/api/v1/agents?expand=usage');
  const find = (name: string) => agents.find((agent) => agent.name === name) as ShownAgent;
  const setCap = (name: string, part: number) => {
    const { id, cost_today_usd } = find(name);
    return change('PUT', `/api/v1/budgets/agents/${id}`, { daily_cap_usd: cost_today_usd / part });
  };
  for (const [name, team] of Object.entries(teams))
    await change('PUT', `/api/v1/agents/${find(name).id}`, { labels: { team } });
  await change('PUT', '/api/v1/budgets/global', { daily_cap_usd: 5 });
  await setCap('contract-reader', 0.86);
  await setCap('support-triage', 0.4);
  await setCap('warehouse-planner', 1);
  const legal = { name: 'legal-month', match: { tags: ['legal'] }, window: 'month', on_exceeded: 'warn', amount: 1 };
  const { uses } = await call<{ uses: { used: number }[] }>('POST', '/api/v1/budgets/preview', legal);
  // On the first of a month nothing that has the tag is used yet.
  const amount = Number(((uses[0]?.used || 10) / 0.83).toFixed(6));
  await change('POST', '/api/v1/budgets', { ...legal, amount });
  await change('POST', '/api/v1/budgets', { name: 'each-agent-day', split_by: 'agent', window: 'day', amount: 2 });
  await change('PUT', `/api/v1/agents/${find('night-report').id}?reason=runs%20in%20a%20loop`, { status: 'blocked' });
  await change('POST', `/api/v1/agents/${find('stock-forecast').id}/retire?reason=replaced`);
  await change('POST', '/api/v1/keys', { name: 'dashboard', scopes: ['read'] });
  await change('POST', '/api/v1/agent-tokens', { agent_name: 'payroll-export' });
  const rules = [
    { name: 'main', match: { ref: ['refs/heads/main'] }, agent: 'ci.{repository}', labels: { team: 'build' } },
  ];
  const issuer = {
    issuer: 'https://token.actions.githubusercontent.com',
    audiences: ['agp'],
    keys: { discovery: true },
  };
  await change('POST', '/api/v1/identities', { name: 'github-actions', ...issuer, rules });

  let refused = new Headers();
  for (let turn = 0; turn < 5; turn += 1) refused = await ask('night-report', 'gpt-4.1', 'And the next page?');
  for (let turn = 0; turn < 2; turn += 1) await ask('warehouse-planner', 'gpt-4o-mini', 'And for next week?');
  const refusedId = refused.get('x-agp-request-id') ?? '';
  const listed = () => read<{ request_id: string }[]>('/api/v1/refusals?limit=50');
  await waitFor('the refusals', async () => (await listed().catch(() => [])).length >= 9);
  return {
    agentId: last.get('x-agent-id') ?? '',
    sessionId: last.get('x-session-id') ?? '',
    eventId: last.get('x-event-id') ?? '',
    refusedId,
    policyId,
    result,
    ask,
  };
}

/** Whether anything was recorded: then the stack is in use, and its caps and policies are somebody's. */
export async function isInUse({ managementUrl, managementKey }: DemoConfig): Promise<boolean> {
  const headers = { authorization: `Bearer ${managementKey}` };
  const answer = await fetch(`${managementUrl}/api/v1/events?limit=1`, { headers });
  return !answer.ok || (await answer.text()) !== '[]';
}
