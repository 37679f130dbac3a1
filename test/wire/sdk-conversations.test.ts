import { randomUUID } from 'node:crypto';
import type { Event } from '@agp/core/contracts';
import {
  type Aimock,
  aimockAnswer,
  answerConversation,
  type FakeProvider,
  startAimock,
  startFakeProvider,
  structuredAnswer,
} from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { anthropicConversations } from './sdks/anthropic-conversations.ts';
import { figures, flash, gpt5, opus } from './sdks/cases.ts';
import type { Conversation } from './sdks/conversation.ts';
import { findDifferences } from './sdks/find-differences.ts';
import { geminiConversations } from './sdks/gemini-conversations.ts';
import { langchainConversations } from './sdks/langchain-conversations.ts';
import { openaiConversations } from './sdks/openai-conversations.ts';
import { toComparable } from './sdks/to-comparable.ts';
import { vercelConversations } from './sdks/vercel-conversations.ts';

const conversations = [
  ...openaiConversations,
  ...anthropicConversations,
  ...geminiConversations,
  ...vercelConversations,
  ...langchainConversations,
];
/** The third party's fake ends a Gemini call of a function for a reason that Gemini does not have, and this client gives up. */
const withTools = conversations.filter(({ name }) => name.includes('tool') && !name.startsWith('vercel google'));

/** What clients make up themselves or measure, and what the third party's fake makes up anew each time. */
const volatileNames =
  /(?:^|\.)(?:\w*[iI]d|x-request-id|created|created_at|timestamp|performance\..*|__openai_function_call_ids__\..*)$/;

let fake: FakeProvider;
let aimock: Aimock;
let throughFake: System;
let throughAimock: System;

const providers = (url: string) => ({
  PROVIDER_OPENAI_URL: url,
  PROVIDER_ANTHROPIC_URL: url,
  PROVIDER_GEMINI_URL: url,
});

beforeAll(async () => {
  [fake, aimock] = await Promise.all([startFakeProvider(answerConversation(figures)), startAimock()]);
  [throughFake, throughAimock] = await Promise.all([
    startSystem({ environment: providers(fake.url) }),
    startSystem({ environment: providers(aimock.url) }),
  ]);
});
afterAll(async () => {
  await Promise.all([throughFake, throughAimock].map((system) => system?.[Symbol.asyncDispose]()));
  await Promise.all([fake?.stop(), aimock?.stop()]);
});

/** By it a fake knows the requests of a conversation, since several run at once. */
const runHeader = 'x-test-run';

/**
 * Converses directly, through the proxy, and directly again: only where the direct ones differ may the proxied differ.
 *
 * @returns what the client showed of the proxied one, as JSON
 */
async function expectSame({ provider, run }: Conversation, directUrl: string, system: System, sessionId: string) {
  const converse = async (baseUrl: string, headers: Record<string, string>) =>
    toComparable(await run({ baseUrl, headers: { ...headers, [runHeader]: sessionId }, maxRetries: 8 }), baseUrl);
  const before = await converse(directUrl, {});
  const ours = { 'X-Agent-Name': 'converser', 'X-Session-Id': sessionId };
  const proxied = await converse(`${system.proxies[0]?.url}/${provider}`, ours);
  const after = await converse(directUrl, {});
  const volatile = findDifferences(before, after);
  for (const path of [...volatile, ...findDifferences(before, proxied)]) expect(path).toMatch(volatileNames);
  return JSON.stringify(proxied);
}

/** The events of a session, once there is one for each request of a conversation. */
async function readEvents(system: System, sessionId: string, requests: number): Promise<Event[]> {
  const events = await waitFor(`${requests} events of ${sessionId}`, async () => {
    const found = await system.api<Event[]>(`/api/v1/events?session_id=${sessionId}`);
    return found.length >= requests && found;
  });
  expect(events).toHaveLength(requests);
  return events;
}

describe.concurrent('a model that calls tools and follows schemas', () => {
  test.each(conversations)('$name: the same with and without the proxy', async (conversation) => {
    const sessionId = `ses_${randomUUID()}`;
    const shown = await expectSame(conversation, fake.url, throughFake, sessionId);
    const ofRun = fake.requests.filter(({ headers }) => headers[runHeader] === sessionId);
    const received = ofRun.map(({ body }) => body.toString('utf8'));
    const requests = received.length / 3;
    expect(requests).toBeGreaterThanOrEqual(2);
    if (conversation.name.endsWith('structured output')) {
      expect(shown.replaceAll('\\', '')).toContain(JSON.stringify(structuredAnswer));
    } else {
      // The tool's results reached the model, and what it said then reached the agent.
      expect(received.filter((text) => /celsius\W+12\b/.test(text)).length).toBeGreaterThanOrEqual(3);
      expect(shown).toMatch(/\b[0-9a-f]{64}\b/);
    }
    const { model, prompt, completion, nano } = { openai: gpt5, anthropic: opus, gemini: flash, bedrock: opus }[
      conversation.provider
    ];
    for (const event of await readEvents(throughFake, sessionId, requests)) {
      expect(event).toMatchObject({
        model,
        prompt_tokens: prompt,
        completion_tokens: completion,
        cost_usd: nano / 1e9,
      });
    }
  });
});

describe.concurrent("a third party's fake that calls a tool", () => {
  test.each(withTools)('$name: the same with and without the proxy', async (conversation) => {
    const sessionId = `ses_${randomUUID()}`;
    const shown = await expectSame(conversation, aimock.url, throughAimock, sessionId);
    expect(shown).toContain('weekends.');
    const ofRun = aimock.mock.getRequests().filter(({ headers }) => headers[runHeader] === sessionId);
    const requests = ofRun.length / 3;
    expect(requests).toBeGreaterThanOrEqual(2);
    const { promptTokens, completionTokens } = aimockAnswer;
    for (const event of await readEvents(throughAimock, sessionId, requests)) {
      expect(event).toMatchObject({ prompt_tokens: promptTokens, completion_tokens: completionTokens });
    }
  });
});
