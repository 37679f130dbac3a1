import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { corpusPrices, type Exchange, loadCorpus } from '@agp/testing/corpus';
import { startFakeProvider } from '@agp/testing/providers';
import { beforeAll, expect, test } from 'vitest';
import { startSystem } from '../system/start-system.ts';
import type { Form } from './measure-exchange.ts';
import { CorpusProvider, canSend, type Sent, sendExchange } from './send-exchange.ts';
import { listForms } from './vary-answer.ts';

interface Call {
  name: string;
  exchange: Exchange;
  form: Form;
}

/** All of a conversation, whose answers end in each way, and two of every other file: what is read of more, `units.test.ts` tells. */
const corpus = Object.values(Object.groupBy(loadCorpus().filter(canSend), ({ file }) => file)).flatMap((all = []) =>
  new Set(all.map(({ ends }) => ends)).size === 3 ? all : all.slice(0, 2),
);

/** One of each way in which bytes come: the services treat others of it alike, only what is read of them differs. */
const formed = new Set([
  'openai/chat.completions/conversation.json',
  'openai/chat.completions/conversation-streamed.json',
  'anthropic/messages/conversation-streamed.json',
  'gemini/streamGenerateContent/conversation-streamed-as-an-array.json',
  'anthropic/messages.batches.results/conversation.json',
  'bedrock/converse-stream/conversation-streamed.json',
]);
const hasForms = ({ file, why }: Exchange) => formed.has(file) && /^(?:complete|the agent leaves)$/.test(why);

const calls: Call[] = corpus.flatMap((exchange) => [
  { name: exchange.name, exchange, form: {} },
  ...(hasForms(exchange) ? [...listForms(exchange, false)] : [])
    .filter(([name]) => !/^(?:divided|another)/.test(name))
    .map(([name, form]) => ({ name: `${exchange.name}, ${name}`, exchange, form })),
]);

/** As many run at once. */
const atOnce = 16;
const seen = new Map<Call, Sent | Error>();

beforeAll(async () => {
  const provider = new CorpusProvider();
  await using fake = await startFakeProvider(provider.answer);
  using folder = mkdtempDisposableSync(join(tmpdir(), 'agp-corpus-'));
  const write = (name: string, content: string) => {
    writeFileSync(join(folder.path, name), content);
    return join(folder.path, name);
  };
  const builtIn = ['openai', 'anthropic', 'gemini'];
  const ids = [...new Set(corpus.map(({ request }) => request.provider))].filter((id) => !builtIn.includes(id));
  const others = ids.map((id) => ({
    id,
    api: id === 'bedrock' ? id : 'openai',
    base_url: fake.url,
    ...((id === 'mistral' || id === 'openrouter') && { ask_usage: false }),
  }));
  await using system = await startSystem({
    environment: {
      ...Object.fromEntries(builtIn.map((id) => [`PROVIDER_${id.toUpperCase()}_URL`, fake.url])),
      PROVIDERS_FILE: write('providers.json', JSON.stringify(others)),
      PRICES_FILE: write('prices.json', corpusPrices),
      PII_BUDGET_MS: '30000',
    },
  });
  const waiting = calls.values();
  const work = async () => {
    for (const call of waiting) {
      seen.set(call, await sendExchange(system, provider, call.exchange, call.form).catch((error: Error) => error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
});

function toPayload({ answer, expected }: Exchange): Record<string, unknown> {
  if (!expected) throw new Error('nothing is expected');
  const { model, usage, nanoUsd, source, outcome, pii, scan } = expected;
  return {
    ...{ model: model ?? 'unknown', cost_usd: nanoUsd / 1e9, usage_source: source },
    ...{ prompt_tokens: usage.promptTokens ?? 0, completion_tokens: usage.completionTokens ?? 0 },
    ...{ outcome, http_status: answer?.status, pii_types: pii, pii_scan: scan },
  };
}

test.each(calls.map((call) => [call.name, call] as const))('%s', (_, call) => {
  const found = seen.get(call);
  if (!found || found instanceof Error) throw found ?? new Error('not run');
  expect(found.recorded).toMatchObject(toPayload(call.exchange));
  expect(found).toMatchObject({ answerIsRight: true, requestIsRight: true });
});
