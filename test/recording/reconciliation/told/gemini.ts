import type { Random } from '../emit-tokens.ts';
import { events, json, pick, question, type Told, times } from './told-call.ts';

const geminiFlash = { input: 300, audio: 1_000, cached: 30, output: 2_500 };

const traffic = { ON_DEMAND: 1_000, ON_DEMAND_FLEX: 500, ON_DEMAND_PRIORITY: 1_800 } as const;

export function content(random: Random): Told {
  const model = 'gemini-2.5-flash';
  const trafficType = pick(random, Object.keys(traffic) as (keyof typeof traffic)[]);
  const [text, audio, thoughts, candidates] = [
    1 + random(50_000),
    random(2) * random(9_000),
    random(4_000),
    1 + random(8_000),
  ];
  const cached = random(2) * random(text);
  const searches = Array.from({ length: random(3) }, (_, index) => `ferry ${index}`);
  const usageMetadata = {
    promptTokenCount: text + audio,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: text },
      ...(audio > 0 ? [{ modality: 'AUDIO', tokenCount: audio }] : []),
    ],
    ...(cached > 0 && {
      cachedContentTokenCount: cached,
      cacheTokensDetails: [{ modality: 'TEXT', tokenCount: cached }],
    }),
    candidatesTokenCount: candidates,
    thoughtsTokenCount: thoughts,
    totalTokenCount: text + audio + candidates + thoughts,
    trafficType,
  };
  const answer = {
    modelVersion: model,
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'Much.' }] },
        finishReason: 'STOP',
        index: 0,
        groundingMetadata: { webSearchQueries: searches },
      },
    ],
    usageMetadata,
  };
  const how = pick(random, ['object', 'sse', 'array']);
  const verb = how === 'object' ? 'generateContent' : `streamGenerateContent${how === 'sse' ? '?alt=sse' : ''}`;
  return {
    path: `/gemini/v1beta/models/${model}:${verb}`,
    body: { contents: [{ role: 'user', parts: [{ text: question }] }] },
    reply: how === 'sse' ? events([answer]) : json(how === 'array' ? [answer] : answer),
    billed:
      (searches.length > 0 ? 35_000_000 : 0) +
      times(
        (text - cached) * geminiFlash.input +
          audio * geminiFlash.audio +
          cached * geminiFlash.cached +
          (candidates + thoughts) * geminiFlash.output,
        traffic[trafficType],
      ),
  };
}

export function interaction(random: Random): Told {
  const model = 'gemini-2.5-flash';
  const [input, output, thoughts] = [1 + random(50_000), 1 + random(8_000), random(4_000)];
  const usage = {
    total_input_tokens: input,
    total_output_tokens: output,
    total_thought_tokens: thoughts,
    total_tokens: input + output + thoughts,
  };
  return {
    path: '/gemini/v1beta/interactions',
    body: { model, input: question },
    reply: json({ id: 'int_1', model, status: 'completed', outputs: [{ type: 'text', text: 'Much.' }], usage }),
    billed: input * geminiFlash.input + (output + thoughts) * geminiFlash.output,
  };
}

/** Of Gemini 3 each distinct search is billed, 14 USD a thousand. */
export function grounded(random: Random): Told {
  const model = 'gemini-3-flash-preview';
  const [input, output, searches] = [1 + random(50_000), 1 + random(8_000), random(5)];
  const queries = Array.from({ length: 2 * searches }, (_, index) => `query ${index % searches}`);
  const answer = {
    modelVersion: model,
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'Much.' }] },
        finishReason: 'STOP',
        ...(searches > 0 && { groundingMetadata: { webSearchQueries: queries } }),
      },
    ],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
  };
  const streams = random(2) === 0;
  return {
    path: `/gemini/v1beta/models/${model}:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: question }] }], tools: [{ google_search: {} }] },
    reply: streams ? events([answer]) : json(answer),
    billed: input * 500 + output * 3_000 + searches * 14_000_000,
  };
}
