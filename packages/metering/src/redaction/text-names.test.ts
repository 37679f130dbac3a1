import { describe, expect, test } from 'vitest';
import { openRedactor, passFrames } from '../../test/redact.ts';
import { atOnce, replaceInSteps } from './replace-places.ts';
import { searchBytes } from './search-bytes.ts';

const config = { kinds: ['email'], patterns: [], findsLabels: false };

function change(body: unknown): unknown {
  const bytes = Buffer.from(JSON.stringify(body));
  const { places } = searchBytes({ bytes, contentType: '', from: 'answer', mayBeText: false, config });
  return JSON.parse(atOnce(replaceInSteps(bytes, places, (kind) => `[${kind}]`)).toString());
}
const stream = (frames: unknown[]) => passFrames(openRedactor(config.kinds), frames).passed;

const said = ['mail', ' eve', '@', 'example', '.com', ' now'];
const kept = ['mail', ' [email]', '', '', '', ' now'];

/** With chances of each token, and of two in its place. */
const byToken = (tokens: readonly string[]) =>
  tokens.map((token) => ({
    token,
    logprob: -1,
    top_logprobs: [
      { token, logprob: -1 },
      { token, logprob: -2 },
    ],
  }));
const byName = (tokens: readonly string[]) => ({
  tokens,
  token_logprobs: tokens.map(() => -1),
  top_logprobs: tokens.map((token) => ({ [token]: -1, [`${token === '' ? '' : ' '}*`]: -2 })),
});

type Write = (tokens: readonly string[]) => unknown;
const part: Write = (tokens) => ({ type: 'output_text', text: tokens.join(''), logprobs: byToken(tokens) });
const item: Write = (tokens) => ({ type: 'message', id: 'm', role: 'assistant', content: [part(tokens)] });
const place = { item_id: 'm', output_index: 0, content_index: 0 };

describe('tokens of a text lose its values', () => {
  test.each<[string, Write]>([
    ['of Responses', (tokens) => ({ output: [item(tokens)] })],
    [
      'of chat',
      (tokens) => ({ choices: [{ message: { content: tokens.join('') }, logprobs: { content: byToken(tokens) } }] }),
    ],
    [
      'of completions',
      (tokens) => ({
        choices: [
          {
            text: tokens.join(''),
            logprobs: { ...byName(tokens), top_logprobs: tokens.map((token) => ({ [token]: -1 })) },
          },
        ],
      }),
    ],
    [
      'at the end of a text',
      (tokens) => ({ type: 'response.output_text.done', ...place, text: tokens.join(''), logprobs: byToken(tokens) }),
    ],
    ['at the end of a part', (tokens) => ({ type: 'response.content_part.done', ...place, part: part(tokens) })],
    ['at the end of an item', (tokens) => ({ type: 'response.output_item.done', output_index: 0, item: item(tokens) })],
    ['at the end of an answer', (tokens) => ({ type: 'response.completed', response: { output: [item(tokens)] } })],
  ])('%s', (_name, write) => {
    expect(change(write(said))).toEqual(write(kept));
    expect(stream([write(said)])).toEqual([write(kept)]);
  });

  test.each<[string, (token: string) => unknown]>([
    [
      'of Responses',
      (token) => ({ type: 'response.output_text.delta', ...place, delta: token, logprobs: byToken([token]) }),
    ],
    [
      'of chat',
      (token) => ({ choices: [{ index: 0, delta: { content: token }, logprobs: { content: byToken([token]) } }] }),
    ],
    ['of completions', (token) => ({ choices: [{ index: 0, text: token, logprobs: byName([token]) }] })],
  ])('in a stream %s', (_name, write) => {
    const passed = JSON.stringify(stream(said.map(write)));
    expect(passed).not.toMatch(/eve|example|\.com/);
    expect(passed).toContain('mail');
    expect(passed).toContain('now');
  });
});
