import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { type Conversation, conversations } from './conversations.ts';
import { type DemoConfig, DemoNotReadyError, nothingAnswers } from './demo-config.ts';
import { type CostEntry, connectManagement, type ManagementClient } from './management-client.ts';
import { type SentTurn, sendConversation } from './send-conversation.ts';

/** How long recording may take after the last answer, in milliseconds; it usually takes a tenth of a second. */
const recordedWithinMs = 10_000;

export interface DemoResult {
  sent: SentTurn[];
  /** The cost entries of the demo's agents. */
  costs: CostEntry[];
}

export const turnCount = conversations.reduce((sum, { questions }) => sum + questions.length, 0);

/** Explains an error answer of the proxy, for example to a blocked agent. */
function explain(agent: string, error: unknown): unknown {
  const refused = error instanceof OpenAI.APIError || error instanceof Anthropic.APIError;
  return refused ? new DemoNotReadyError(`${agent} got an error from the proxy: ${error.message}`) : error;
}

async function waitUntilRecorded(management: ManagementClient, sent: SentTurn[]): Promise<void> {
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

/** @throws DemoNotReadyError if the proxy or the management API does not answer */
export async function expectRunningStack(config: DemoConfig): Promise<void> {
  try {
    await expectListener(new URL(config.proxyUrl));
  } catch {
    throw nothingAnswers(config.proxyUrl);
  }
  await connectManagement(config).listCosts();
}

/**
 * Sends every conversation through the proxy, an agent's one after the other, the agents side by side, and waits
 * until all of them are recorded.
 *
 * @param onTurn called after each answer
 * @throws DemoNotReadyError if the proxy refuses an agent, or the answers are not recorded in time
 */
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
