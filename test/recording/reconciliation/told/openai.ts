import { writeForm } from '../../../wire/conformance/write-form.ts';
import type { Random } from '../emit-tokens.ts';
import { events, json, type Prices, pick, question, search, type Told, times } from './told-call.ts';

const gpt: Record<string, Prices & { priority: number }> = {
  'gpt-5.4': { input: 2_500, cached: 250, output: 15_000, priority: 2_000 },
  'gpt-5-mini': { input: 250, cached: 25, output: 2_000, priority: 1_800 },
  'gpt-4.1': { input: 2_000, cached: 500, output: 8_000, priority: 1_750 },
};

function tierOfGpt(random: Random, priority: number): { tier: string; thousandths: number } {
  const tiers = { default: 1_000, flex: 500, priority };
  const tier = pick(random, Object.keys(tiers) as (keyof typeof tiers)[]);
  return { tier, thousandths: tiers[tier] };
}

function tokensOf(random: Random) {
  const input = 1 + random(100_000);
  const cached = random(2) * random(input);
  const output = 1 + random(8_000);
  return { input, cached, output, reasoning: random(2) * random(output) };
}

const costOf = (prices: Prices, { input, cached, output }: { input: number; cached: number; output: number }) =>
  (input - cached) * prices.input + cached * prices.cached + output * prices.output;

export function chat(random: Random): Told {
  const model = pick(random, Object.keys(gpt));
  const prices = gpt[model] as (typeof gpt)[string];
  const { tier, thousandths } = tierOfGpt(random, prices.priority);
  const tokens = tokensOf(random);
  const usage = {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
    prompt_tokens_details: { cached_tokens: tokens.cached },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  };
  const stream = random(2) === 0;
  const head = { id: 'chatcmpl-1', model, service_tier: tier };
  const delta = { choices: [{ index: 0, delta: { content: 'Much.' }, finish_reason: 'stop' }] };
  return {
    path: '/openai/v1/chat/completions',
    body: { model, stream, service_tier: tier, messages: [{ role: 'user', content: question }] },
    reply: stream
      ? events(
          [
            { ...head, ...delta },
            { ...head, choices: [], usage },
          ],
          'data: [DONE]\n\n',
        )
      : json({ ...head, choices: [{ index: 0, message: { content: 'Much.' }, finish_reason: 'stop' }], usage }),
    billed: times(costOf(prices, tokens), thousandths),
  };
}

export function responses(random: Random): Told {
  const model = pick(random, Object.keys(gpt));
  const prices = gpt[model] as (typeof gpt)[string];
  const { tier, thousandths } = tierOfGpt(random, prices.priority);
  const tokens = tokensOf(random);
  const [searches, files, containers] = [random(4), random(3), random(3)];
  const picture = { input: 1 + random(200), output: 1 + random(5_000) };
  const draws = random(4) === 0;
  const container = `cntr_${random(1_000_000_000)}`;
  const stream = random(2) === 0;
  const call = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'ferries' } };
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model,
    service_tier: tier,
    output: [
      ...Array.from({ length: searches }, (_, index) => ({ ...call, id: `ws_${index}` })),
      ...Array.from({ length: files }, () => ({ type: 'file_search_call', status: 'completed' })),
      ...Array.from({ length: 2 * containers }, (_, index) => ({
        type: 'code_interpreter_call',
        status: 'completed',
        container_id: `${container}_${index % containers}`,
      })),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Much.' }] },
    ],
    tools: draws ? [{ type: 'image_generation', model: 'gpt-image-1.5' }] : [],
    usage: {
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      total_tokens: tokens.input + tokens.output,
      input_tokens_details: { cached_tokens: tokens.cached },
      output_tokens_details: { reasoning_tokens: tokens.reasoning },
    },
    ...(draws && {
      tool_usage: {
        image_gen: {
          input_tokens: picture.input,
          output_tokens: picture.output,
          total_tokens: picture.input + picture.output,
          input_tokens_details: { text_tokens: picture.input, image_tokens: 0 },
        },
      },
    }),
  };
  const drawn = draws ? picture.input * 5_000 + picture.output * 32_000 : 0;
  return {
    path: '/openai/v1/responses',
    body: { model, stream, input: question },
    reply: stream
      ? events([
          { type: 'response.created', response: { ...response, status: 'in_progress', usage: null, output: [] } },
          { type: 'response.completed', response },
        ])
      : json(response),
    billed:
      times(costOf(prices, tokens), thousandths) +
      searches * search +
      files * 2_500_000 +
      containers * 30_000_000 +
      drawn,
  };
}

/** Of a batch's results the batch tells the sum, at half the price. */
export function batch(random: Random, count: number): Told {
  const model = pick(random, Object.keys(gpt));
  const tokens = tokensOf(random);
  const usage = {
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
    input_tokens_details: { cached_tokens: tokens.cached },
    output_tokens_details: { reasoning_tokens: tokens.reasoning },
  };
  const status = pick(random, ['completed', 'cancelled', 'expired']);
  const counts = { total: 9, completed: 7, failed: 2 };
  return {
    method: 'GET',
    path: `/openai/v1/batches/batch_${count}`,
    reply: json({ id: `batch_${count}`, object: 'batch', status, model, request_counts: counts, usage }),
    billed: times(costOf(gpt[model] as Prices, tokens), 500),
  };
}

export function embeddings(random: Random): Told {
  const input = 1 + random(8_000);
  const model = 'text-embedding-3-large';
  return {
    path: '/openai/v1/embeddings',
    body: { model, input: question },
    reply: json({ object: 'list', model, data: [], usage: { prompt_tokens: input, total_tokens: input } }),
    billed: input * 130,
  };
}

export function pictures(random: Random): Told {
  const [text, image, output] = [1 + random(2_000), random(2) * random(5_000), 1 + random(9_000)];
  const usage = {
    input_tokens: text + image,
    input_tokens_details: { text_tokens: text, image_tokens: image },
    output_tokens: output,
    total_tokens: text + image + output,
  };
  const model = 'gpt-image-1.5';
  const stream = random(2) === 0;
  return {
    path: '/openai/v1/images/generations',
    body: { model, stream, prompt: question },
    reply: stream
      ? events([{ type: 'image_generation.completed', b64_json: 'AAAA', usage }])
      : json({ created: 1, data: [{ b64_json: 'AAAA' }], usage }),
    billed: text * 5_000 + image * 8_000 + output * 32_000,
  };
}

/** Whisper is billed 0.006 USD a minute, by the second. */
export function transcription(random: Random): Told {
  const seconds = 1 + random(7_200);
  const file = { name: 'file', filename: 'a.ogg', type: 'audio/ogg', content: Buffer.alloc(64) };
  const form = writeForm({ model: 'whisper-1', response_format: 'verbose_json' }, file);
  return {
    path: '/openai/v1/audio/transcriptions',
    body: form.bytes,
    contentType: form.contentType,
    reply: json({ text: 'Much.', duration: seconds, usage: { type: 'duration', seconds } }),
    billed: seconds * 100_000,
  };
}

export function speech(random: Random): Told {
  const input = 'a'.repeat(1 + random(4_000));
  return {
    path: '/openai/v1/audio/speech',
    body: { model: 'tts-1', voice: 'alloy', input },
    reply: { headers: { 'content-type': 'audio/mpeg' }, body: Buffer.alloc(100) },
    billed: input.length * 15_000,
  };
}
