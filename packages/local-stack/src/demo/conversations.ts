import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

export interface Conversation {
  agent: string;
  api: 'openai' | 'anthropic';
  model: string;
  stream: boolean;
  instructions: string;
  questions: string[];
}

/** The conversations of the demo; some agents hold more than one. */
export const conversations: Conversation[] = [
  {
    agent: 'support-triage',
    api: 'openai',
    model: 'gpt-5-mini',
    stream: true,
    instructions: 'You sort support tickets by urgency and name the team that should answer.',
    questions: [
      'A customer says that every invoice since Monday shows the wrong currency. How urgent is that?',
      'Which team should own the currency problem while billing is short of people?',
      'Write the first reply to the customer, without promising a date.',
    ],
  },
  {
    agent: 'support-triage',
    api: 'openai',
    model: 'gpt-5-mini',
    stream: false,
    instructions: 'You sort support tickets by urgency and name the team that should answer.',
    questions: ['Password reset emails arrive an hour late for some customers. What should we check first?'],
  },
  {
    agent: 'release-notes',
    api: 'anthropic',
    model: 'claude-sonnet-5',
    stream: true,
    instructions: 'You turn merged changes into release notes that customers understand.',
    questions: [
      'Summarise these changes: faster export, new webhook signature, fixed timezone of weekly reports.',
      'Which of them needs a warning, because customers have to change something?',
    ],
  },
  {
    agent: 'contract-reader',
    api: 'anthropic',
    model: 'claude-opus-5-5',
    stream: false,
    instructions: 'You find obligations and deadlines in contracts and quote the clause.',
    questions: [
      'Which notice period applies if the supplier misses two deliveries in a quarter?',
      'Does the liability cap also cover data protection claims?',
    ],
  },
  {
    agent: 'warehouse-planner',
    api: 'openai',
    model: 'gpt-4o-mini',
    stream: false,
    instructions: 'You plan stock moves between three warehouses.',
    questions: [
      'Stock in Rotterdam covers nine days, in Lyon thirty. What should move this week?',
      'What changes if the Lyon trucks can only leave on Thursday?',
      'Put the plan into three short steps for the morning meeting.',
    ],
  },
];

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

/** Holds a conversation through the proxy with the official client, which gets a base URL and headers only. */
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
