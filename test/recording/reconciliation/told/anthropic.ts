import type { Random } from '../emit-tokens.ts';
import { events, json, type Prices, pick, question, search, type Told, times } from './told-call.ts';

const claude: Record<string, Prices & { fast: number | null }> = {
  'claude-opus-4-7': { input: 5_000, cached: 500, output: 25_000, fast: 6_000 },
  'claude-haiku-4-5': { input: 1_000, cached: 100, output: 5_000, fast: null },
};

function messageOf(random: Random, model: string) {
  const prices = claude[model] as (typeof claude)[string];
  const [input, output] = [1 + random(60_000), 1 + random(8_000)];
  const [read, write5m, write1h] = [random(2) * random(50_000), random(2) * random(9_000), random(2) * random(9_000)];
  const searches = random(3);
  const usage = {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write5m + write1h,
    cache_creation: { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h },
    server_tool_use: { web_search_requests: searches },
  };
  const tokens =
    input * prices.input +
    read * prices.cached +
    (write5m * prices.input * 5) / 4 +
    write1h * prices.input * 2 +
    output * prices.output;
  return { usage, tokens, searches: searches * search };
}

export function messages(random: Random): Told {
  const model = pick(random, Object.keys(claude));
  const { usage, tokens, searches } = messageOf(random, model);
  const fast = random(3) === 0 ? (claude[model]?.fast ?? null) : null;
  const geo = pick(random, [null, 'global', 'us']);
  const told = {
    ...usage,
    service_tier: 'standard',
    ...(fast !== null && { speed: 'fast' }),
    ...(geo !== null && { inference_geo: geo }),
  };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_reason: 'end_turn' };
  const block = { type: 'text', text: 'Much.' };
  const stream = random(2) === 0;
  return {
    path: '/anthropic/v1/messages',
    body: {
      model,
      stream,
      max_tokens: 8_000,
      messages: [{ role: 'user', content: question }],
      ...(fast !== null && { speed: 'fast' }),
      ...(geo !== null && { inference_geo: geo }),
    },
    reply: stream
      ? events([
          {
            type: 'message_start',
            message: { ...message, content: [], stop_reason: null, usage: { ...told, output_tokens: 1 } },
          },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Much.' } },
          { type: 'content_block_stop', index: 0 },
          { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: told.output_tokens } },
          { type: 'message_stop' },
        ])
      : json({ ...message, content: [block], usage: told }),
    billed: times(tokens, ((fast ?? 1_000) * (geo === 'us' ? 11 : 10)) / 10) + searches,
  };
}

/** A message that others had a part in: an advisor's advice, and a summary of the context. */
export function advised(random: Random): Told {
  const [model, advisor] = ['claude-haiku-4-5', 'claude-opus-4-7'];
  const run = (type: string, of: string) => ({ type, model: of, ...messageOf(random, of) });
  const [own, advice, summary] = [run('message', model), run('advisor_message', advisor), run('compaction', model)];
  const bare = ({ usage: { server_tool_use: _, ...usage }, type, model: of }: typeof own) => ({
    type,
    model: of,
    ...usage,
  });
  const iterations = [bare(summary), bare(own), bare(advice)];
  return {
    path: '/anthropic/v1/messages',
    body: { model, max_tokens: 8_000, messages: [{ role: 'user', content: question }] },
    reply: json({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'Much.' }],
      usage: { ...own.usage, iterations },
    }),
    // Each model's runs are priced, and rounded, by themselves.
    billed: own.searches + Math.round(own.tokens) + Math.round(advice.tokens) + Math.round(summary.tokens),
  };
}

export function results(random: Random, count: number): Told {
  const lines = Array.from({ length: 1 + random(5) }, () => {
    const model = pick(random, Object.keys(claude));
    const { usage, tokens, searches } = messageOf(random, model);
    const message = {
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      usage: { ...usage, service_tier: 'batch' },
    };
    const line = { custom_id: 'c', result: { type: 'succeeded', message } };
    return { text: `${JSON.stringify(line)}\n`, nano: times(tokens, 500) + searches };
  });
  return {
    method: 'GET',
    path: `/anthropic/v1/messages/batches/msgbatch_${count}/results`,
    reply: { headers: { 'content-type': 'application/x-jsonl' }, body: lines.map(({ text }) => text).join('') },
    billed: lines.reduce((sum, { nano }) => sum + nano, 0),
  };
}
