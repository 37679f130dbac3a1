import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findOperation, readStream } from '../../test/find-operation.ts';

const paths = [
  '/chat/completions',
  '/completions',
  '/responses',
  '/responses/compact',
  '/responses/input_tokens',
  '/embeddings',
  '/rerank',
  '/images/generations',
  '/images/edits',
  '/images/variations',
  '/audio/transcriptions',
  '/audio/translations',
  '/audio/speech',
  '/moderations',
  '/batches',
  '/videos',
  '/async/chat/completions',
];

/** Members that the mappings look at, so that the trees below reach all of them. */
const names = `action arguments audio b64_json calls choices completion_tokens content data delta duration error event
  finish_reason function id image_gen index input input_tokens item messages model n name num_requests object output
  output_index output_tokens output_tokens_details prompt prompt_tokens prompt_tokens_details queries refusal response
  seconds segment_id service_tier stream summary svg_usage text tool_calls tool_usage tools total_tokens type usage
  web_search x_groq message delta content_block candidates usageMetadata modelVersion promptFeedback groundingMetadata
  finishReason event_type interaction step parts cache_creation iterations functionCall args
  status request_counts completed outputs body state seconds size instances parameters durationSeconds sampleCount
  predictions embeddings statistics token_count expireTime updateTime ttl totalTokenCount request`.split(/\s+/);

const words = [
  ...'error duration image_generation tokens web_search_call stop search'.split(' '),
  ...'response.completed response.failed response.output_item.done response.output_text.delta'.split(' '),
  ...'image_edit.completed image_generation.completed speech.audio.done'.split(' '),
  ...'transcript.text.delta transcript.text.done'.split(' '),
  ...'message_start message_delta content_block_start content_block_delta compaction'.split(' '),
  ...'interaction.completed step.delta step.start step.stop'.split(' '),
];

const trees = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom(null, true, false, -1, 0, 1.5, 7, 1e300, '', '12', '1e9'),
    fc.constantFrom(...words),
    fc.string(),
  ),
  node: fc.oneof(
    { depthSize: 'medium' },
    tie('leaf'),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('node'), { maxKeys: 6 }),
    fc.array(tie('node'), { maxLength: 4 }),
  ),
})).node;

const allOperations = [
  ...paths.map((path) => findOperation(path)),
  ...['/v1/messages', '/v1/messages/batches'].map((path) => findOperation(path, 'anthropic')),
  findOperation('/v1/messages/batches/b/results', 'anthropic', 'GET'),
  ...['generateContent', 'streamGenerateContent', 'batchEmbedContents', 'batchGenerateContent'].map((name) =>
    findOperation(`/v1beta/models/m:${name}`, 'gemini'),
  ),
  ...['predict', 'predictLongRunning'].map((name) => findOperation(`/v1beta/models/m:${name}`, 'gemini')),
  ...['interactions', 'cachedContents'].map((name) => findOperation(`/v1beta/${name}`, 'gemini')),
  findOperation('/v1beta/interactions/i', 'gemini', 'GET'),
  ...['batches', 'batches/b', 'responses/r', 'async/chat/completions/a'].map((name) =>
    findOperation(`/v1/${name}`, 'openai', 'GET'),
  ),
  findOperation('/v1beta/batches/b', 'gemini', 'GET'),
  findOperation('/v1beta/batches', 'gemini', 'GET'),
];

const operations = fc.constantFrom(...allOperations);

/** Whatever was read, it adds up: no figure is negative, broken or larger than what it is a part of. */
function expectSound(reading: { usage: object | null; outputText(): { parts: readonly string[] } }): void {
  for (const figure of Object.values(reading.usage ?? {}))
    expect(Number.isSafeInteger(figure) && figure >= 0).toBe(true);
  for (const part of reading.outputText().parts) expect(typeof part).toBe('string');
}

test('an object that cannot be text stands for no figure', () => {
  const odd = JSON.parse('{"toString":0}');
  const body = Object.fromEntries(names.map((name) => [name, odd]));
  const figures = {
    promptTokensDetails: [{ modality: odd, tokenCount: 5 }],
    input_tokens_by_modality: [{ modality: odd, tokens: 5 }],
    grounding_tool_count: [{ type: odd, count: 1 }],
  };
  const kinds = { usageMetadata: figures, usage: figures };
  // Where the two figures of requests for videos and pictures are.
  const request = { model: 'imagen', instances: [{}], parameters: body };
  for (const operation of allOperations) {
    for (const given of [body, request]) operation.readRequest(given, '/v1/models/imagen:predict').inputText();
    expectSound(operation.readAnswer(body));
    expectSound(operation.readAnswer(kinds));
  }
});

test('no body makes the mappings throw, or gives invalid figures', () => {
  fc.assert(
    fc.property(operations, fc.oneof(trees, fc.jsonValue(), fc.string()), (from, body) => {
      const request = from.readRequest(body, '/');
      for (const part of request.inputText().parts) expect(typeof part).toBe('string');
      expectSound(from.readAnswer(body));
    }),
    { numRuns: 200 },
  );
});

test('no frames make a reader throw, or give invalid figures', () => {
  const frame = fc.oneof(
    trees.map((tree) => JSON.stringify(tree)),
    fc.constantFrom('[DONE]', '', '{', '{"usage":{', '{"error":{"message":'),
    fc.string({ unit: 'binary' }),
  );
  const named = fc.tuple(fc.constantFrom('', 'error', ...words), frame);
  fc.assert(
    fc.property(operations, fc.array(fc.oneof(frame, named)), (from, frames) => {
      const reading = readStream(
        from,
        ...frames.map((given) => (typeof given === 'string' ? given : { event: given[0], data: given[1] })),
      );
      expectSound(reading);
      expect(reading.usageIsFinal && reading.usage === null).toBe(false);
    }),
    // Each of some ten frames.
    { numRuns: 120 },
  );
});
