import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Conversation } from './conversations.ts';

/** The ids under which a turn was recorded, from the headers that the proxy adds to every answer. */
export interface SentTurn {
  agentId: string;
  sessionId: string;
  eventId: string;
}

interface Turn {
  role: 'user' | 'assistant';
  content: string;
}

interface Reply {
  text: string;
  response: Response;
}

/** Sends the turns so far. */
type Ask = (turns: Turn[]) => Promise<Reply>;

const openaiBase = '/demo/v1';
const anthropicBase = '/demo-anthropic';
/** As often as a busy machine may answer 503. */
const maxRetries = 5;
const anyKey = 'the-demo-provider-takes-any-key';

function askOpenai(proxyUrl: string, headers: Record<string, string>, conversation: Conversation): Ask {
  const client = new OpenAI({ baseURL: proxyUrl + openaiBase, apiKey: anyKey, defaultHeaders: headers, maxRetries });
  const { model, instructions } = conversation;
  return async (turns) => {
    const asked = { model, messages: [{ role: 'system' as const, content: instructions }, ...turns] };
    if (!conversation.stream) {
      const { data, response } = await client.chat.completions.create(asked).withResponse();
      return { text: data.choices[0]?.message.content ?? '', response };
    }
    const { data, response } = await client.chat.completions.create({ ...asked, stream: true }).withResponse();
    let text = '';
    for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? '';
    return { text, response };
  };
}

function askAnthropic(proxyUrl: string, headers: Record<string, string>, conversation: Conversation): Ask {
  const baseURL = proxyUrl + anthropicBase;
  const client = new Anthropic({ baseURL, apiKey: anyKey, defaultHeaders: headers, maxRetries });
  const { model, instructions } = conversation;
  return async (turns) => {
    const asked = { model, max_tokens: 1_000, system: instructions, messages: turns };
    if (!conversation.stream) {
      const { data, response } = await client.messages.create(asked).withResponse();
      return { text: data.content.map((block) => (block.type === 'text' ? block.text : '')).join(''), response };
    }
    const { data, response } = await client.messages.create({ ...asked, stream: true }).withResponse();
    let text = '';
    for await (const event of data) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
    }
    return { text, response };
  };
}

function readTurn({ headers }: Response): SentTurn {
  return {
    agentId: headers.get('x-agent-id') ?? '',
    sessionId: headers.get('x-session-id') ?? '',
    eventId: headers.get('x-event-id') ?? '',
  };
}

/**
 * Holds a conversation through the proxy with the provider's official client, configured with base URL and headers only. Yields after
 * each answer.
 *
 * @param session any text; the proxy derives the session id from it
 */
export async function* sendConversation(
  proxyUrl: string,
  conversation: Conversation,
  session: string,
): AsyncGenerator<SentTurn> {
  const headers = { 'X-Agent-Name': conversation.agent, 'X-Session-Id': session };
  const ask = (conversation.api === 'openai' ? askOpenai : askAnthropic)(proxyUrl, headers, conversation);
  const turns: Turn[] = [];
  for (const question of conversation.questions) {
    turns.push({ role: 'user', content: question });
    const { text, response } = await ask(turns);
    turns.push({ role: 'assistant', content: text });
    yield readTurn(response);
  }
}
