import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '@agp/core/json';
import { toLineText } from '@agp/core/text';
import Anthropic from '@anthropic-ai/sdk';
import Table from 'cli-table3';
import OpenAI from 'openai';
import { z } from 'zod';
import { type Conversation, conversations, type SentTurn, sendConversation } from './conversations.ts';
import { type DemoConfig, DemoNotReadyError, nothingAnswers } from './demo-config.ts';

const costEntry = z.object({
  agent_id: z.string(),
  agent_name: z.string(),
  total_cost_usd: z.number(),
  total_prompt_tokens: z.number(),
  total_completion_tokens: z.number(),
  request_count: z.number(),
  models_used: z.array(z.string()),
});

const event = z.object({ id: z.string() });

type CostEntry = z.infer<typeof costEntry>;

/** Each read throws DemoNotReadyError if the API does not answer or does not know the key. */
function connectManagement({ managementUrl, managementKey }: DemoConfig) {
  async function get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>> {
    let response: Response;
    try {
      response = await fetch(managementUrl + path, { headers: { authorization: `Bearer ${managementKey}` } });
    } catch {
      throw nothingAnswers(managementUrl);
    }
    if (response.status === 401) {
      throw new DemoNotReadyError(
        `${managementUrl} does not know this key. Set MANAGEMENT_API_KEY to the one it was started with.`,
      );
    }
    if (!response.ok) throw new DemoNotReadyError(`GET ${managementUrl}${path} answered ${response.status}.`);
    return schema.parse(parseJson(await response.text()));
  }
  return {
    listCosts: () => get('/api/v1/costs/breakdown', z.array(costEntry)),
    listEventIds: async (sessionId: string) => {
      const events = await get(`/api/v1/events/sessions/${sessionId}`, z.array(event));
      return events.map(({ id }) => id);
    },
  };
}

/** How long recording may take after the last answer, in milliseconds; it usually takes a tenth of a second. */
const recordedWithinMs = 10_000;

export interface DemoResult {
  sent: SentTurn[];
  costs: CostEntry[];
}

export const turnCount = conversations.reduce((sum, { questions }) => sum + questions.length, 0);

function explain(agent: string, error: unknown): unknown {
  const refused = error instanceof OpenAI.APIError || error instanceof Anthropic.APIError;
  return refused ? new DemoNotReadyError(`${agent} got an error from the proxy: ${error.message}`) : error;
}

async function waitUntilRecorded(management: ReturnType<typeof connectManagement>, sent: SentTurn[]): Promise<void> {
  const deadline = Date.now() + recordedWithinMs;
  const waiting = new Set(sent.map(({ eventId }) => eventId));
  const sessions = new Set(sent.map(({ sessionId }) => sessionId));
  while (waiting.size > 0) {
    for (const session of sessions) {
      for (const id of await management.listEventIds(session)) waiting.delete(id);
    }
    if (waiting.size === 0) return;
    if (Date.now() > deadline) {
      throw new DemoNotReadyError(`${waiting.size} of ${sent.length} answers are not recorded yet: is the writer up?`);
    }
    await sleep(100);
  }
}

/** Only connects: any request that is not an agent's would be listed as refused. */
async function expectListener({ hostname, port }: URL): Promise<void> {
  const socket = connect(Number(port) || 80, hostname.replace(/^\[(.*)\]$/, '$1'));
  await once(socket, 'connect');
  socket.destroy();
}

export async function expectRunningStack(config: DemoConfig): Promise<void> {
  try {
    await expectListener(new URL(config.proxyUrl));
  } catch {
    throw nothingAnswers(config.proxyUrl);
  }
  await connectManagement(config).listCosts();
}

/** Sends every conversation through the proxy, agents side by side, and waits until all are recorded. */
export async function runDemo(config: DemoConfig, onTurn: (agent: string) => void): Promise<DemoResult> {
  const management = connectManagement(config);
  const run = Date.now().toString(36);
  const sent: SentTurn[] = [];
  const hold = async (held: Conversation[]) => {
    for (const [index, conversation] of held.entries()) {
      const session = `${conversation.agent} ${run} ${index}`;
      for await (const turn of sendConversation(config.proxyUrl, conversation, session)) {
        sent.push(turn);
        onTurn(conversation.agent);
      }
    }
  };
  const byAgent = [...Map.groupBy(conversations, ({ agent }) => agent)];
  await Promise.all(
    byAgent.map(([agent, held]) =>
      hold(held).catch((error) => {
        throw explain(agent, error);
      }),
    ),
  );
  await waitUntilRecorded(management, sent);
  const agents = new Set(sent.map(({ agentId }) => agentId));
  const costs = await management.listCosts();
  return { sent, costs: costs.filter(({ agent_id }) => agents.has(agent_id)) };
}

const count = new Intl.NumberFormat('en');

function toTable({ sent, costs }: DemoResult): string {
  const sessions = Map.groupBy(sent, ({ agentId }) => agentId);
  const table = new Table({
    head: ['agent', 'sessions now', 'requests', 'tokens in', 'tokens out', 'cost (USD)', 'models'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'left'],
    style: { head: [], border: [] },
  });
  for (const entry of costs) {
    table.push([
      toLineText(entry.agent_name),
      count.format(new Set(sessions.get(entry.agent_id)?.map(({ sessionId }) => sessionId)).size),
      count.format(entry.request_count),
      count.format(entry.total_prompt_tokens),
      count.format(entry.total_completion_tokens),
      entry.total_cost_usd.toFixed(6),
      toLineText(entry.models_used.join(', ')),
    ]);
  }
  return table.toString();
}

/** The table of costs, and the way to the rest: the console, and commands to copy. @param consoleUrl address of the console */
export function formatResult(config: DemoConfig, result: DemoResult, consoleUrl: string): string {
  const { managementUrl, managementKey } = config;
  const curl = `curl -s -H "Authorization: Bearer $KEY"`;
  const [turn] = result.sent;
  const block = `-X PUT -H 'Content-Type: application/json' -d '{"status":"blocked"}'`;
  return `
Recorded since this database was made, for the agents above, from GET /api/v1/costs/breakdown:

${toTable(result)}

See it in a browser; the link works once, within ten minutes, and "npm run agp -- console link" makes another:

  ${consoleUrl}

Or from here, after KEY=${managementKey}

  the newest events         ${curl} '${managementUrl}/api/v1/events?limit=5'
  one session in order      ${curl} ${managementUrl}/api/v1/sessions/${turn?.sessionId}
  its chain of hashes       ${curl} ${managementUrl}/api/v1/lineage/${turn?.sessionId}
  events as they happen     ${curl.replace('-s', '-sN')} -H 'Accept: text/event-stream' ${managementUrl}/api/v1/events/stream
  stop an agent             ${curl} ${block} ${managementUrl}/api/v1/agents/${turn?.agentId}
  every endpoint            ${managementUrl}/docs
`;
}
