import { makeUsage } from '@agp/catalogue';
import { describe, expect, test } from 'vitest';
import { findOperation, readStream } from '../../../test/find-operation.ts';

const interactions = findOperation('/v1beta/interactions', 'gemini');

const figures = {
  total_input_tokens: 120,
  total_cached_tokens: 100,
  total_tool_use_tokens: 30,
  total_output_tokens: 40,
  total_thought_tokens: 60,
  total_tokens: 250,
  input_tokens_by_modality: [{ modality: 'audio', tokens: 20 }],
  grounding_tool_count: [
    { type: 'google_maps', count: 9 },
    { type: 'google_search', count: 2 },
  ],
};
/** 120 and what tools gave to read; 40 and the thoughts. */
const usage = makeUsage({
  promptTokens: 150,
  completionTokens: 100,
  cacheReadTokens: 100,
  reasoningTokens: 60,
  inputAudioTokens: 20,
  webSearches: 2,
  mapsSearches: 9,
});

const steps = [
  { type: 'user_input', content: [{ type: 'text', text: 'asked' }] },
  { type: 'thought', signature: 'AAAA', summary: [{ type: 'text', text: 'Hm.' }] },
  { type: 'function_call', id: 'c1', name: 'get', arguments: { city: 'Rome' } },
  { type: 'code_execution_result', call_id: 'c2', result: '1' },
  { type: 'model_output', content: [{ type: 'text', text: 'Yes.' }] },
];

test('a request: model or agent, bound and text', () => {
  const body = {
    model: 'gemini-3-flash-preview',
    input: [
      { type: 'text', text: 'Hi' },
      { type: 'image', data: 'AAAA', mime_type: 'image/png' },
    ],
    system_instruction: 'Be brief.',
    generation_config: { max_output_tokens: 50 },
    stream: true,
  };
  const reading = interactions.readRequest(body, '');
  expect(reading).toMatchObject({ requestedModel: 'gemini-3-flash-preview', stream: true });
  expect(reading.inputText().parts).toEqual(['Be brief.', 'Hi']);
  expect(interactions.readRequest({ agent: 'deep-research', input: 'Hi' }, '').requestedModel).toBe('deep-research');
});

test('an answer: figures, tier and text', () => {
  const reading = interactions.readAnswer({
    model: 'm',
    status: 'completed',
    service_tier: 'flex',
    steps,
    usage: figures,
  });
  expect(reading).toMatchObject({ model: 'm', usage, serviceTier: 'flex' });
  expect(reading.outputText().parts).toEqual(['Hm.', 'get', 'city: Rome', '1', 'Yes.']);
});

describe('streams', () => {
  const delta = (index: number, given: object) => ({ event_type: 'step.delta', index, delta: given });
  const end = (status: string, name = 'interaction.completed') => ({
    event_type: name,
    interaction: { id: 'i1', model: 'm', status, usage: figures },
  });

  test('figures at the end, text by step', () => {
    const reading = readStream(
      interactions,
      { event_type: 'interaction.created', interaction: { id: 'i1', model: 'm', status: 'in_progress' } },
      delta(0, { type: 'thought_summary', content: { type: 'text', text: 'H' } }),
      delta(0, { type: 'thought_signature', signature: 'AAAA' }),
      { event_type: 'step.start', index: 1, step: { type: 'function_call', id: 'c1', name: 'get', arguments: {} } },
      delta(1, { type: 'arguments_delta', arguments: '{"city":' }),
      delta(0, { type: 'thought_summary', content: { type: 'text', text: 'm' } }),
      delta(1, { type: 'arguments_delta', arguments: '"Rome"}' }),
      delta(2, { type: 'code_execution_call', arguments: { code: 'print(1)' } }),
      delta(3, { type: 'text', text: 'Grüße ' }),
      delta(3, { type: 'text', text: 'an alle' }),
      end('completed'),
    );
    expect(reading).toMatchObject({ model: 'm', usage, usageIsFinal: true, sawEnd: true, failed: false });
    expect(reading.outputText().parts).toEqual(['Hm', 'get\n', '{"city":"Rome"}', 'code: print(1)\n', 'Grüße an alle']);
  });

  test('that are cut are not charged for counted thoughts besides their summaries', () => {
    const reading = readStream(
      interactions,
      { event_type: 'step.start', index: 0, step: { type: 'thought', summary: [{ type: 'text', text: 'Well.' }] } },
      delta(0, { type: 'thought_summary', content: { type: 'text', text: 'Hm.' } }),
      { event_type: 'step.stop', index: 0, usage: { total_input_tokens: 10, total_thought_tokens: 200 } },
      delta(1, { type: 'text', text: 'Yes.' }),
    );
    expect(reading).toMatchObject({ usageIsFinal: false, usage: { completionTokens: 200, reasoningTokens: 200 } });
    expect(reading.uncountedText?.().parts).toEqual(['Yes.']);
    expect(reading.outputText().parts.join('')).toBe('Well.\nHm.Yes.');
  });

  test.each<[string, object, boolean, boolean]>([
    ['failed', end('failed'), true, true],
    ['as the first revision calls it', end('completed', 'interaction.complete'), true, false],
    ['an error', { event_type: 'error', error: { code: 'x', message: 'no' } }, false, true],
    ['cut', delta(0, { type: 'text', text: '"event_type":"interaction.completed"' }), false, false],
  ])('the end: %s', (_, last, sawEnd, failed) => {
    expect(readStream(interactions, last)).toMatchObject({ sawEnd, failed });
  });
});
