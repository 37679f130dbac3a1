import { expect, test } from 'vitest';
import { readText } from '../text-source.ts';

/** The text of a request that is counted when its provider reports no figures. */
function readCounted(content: unknown, more: object = {}): string {
  return readBody(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...more }));
}

function readBody(body: string): string {
  const bytes = Buffer.from(body);
  const asked = { api: 'openai', method: 'POST', path: '/v1/chat/completions' } as const;
  return readText({ of: 'request', asked, bytes, contentType: 'application/json' }, 'model').parts.join('|');
}

test.each(['A'.repeat(1_024), '='.repeat(1_024), `data:image/png;base64,${'iVBOR'.repeat(1_000)}`])(
  'filler is counted, and so is the text after it: %#',
  (filler) => {
    const text = `${filler} The rest of the text.`;
    expect(readCounted(text)).toBe(text);
    expect(readCounted([{ type: 'text', text }])).toBe(text);
    expect(readCounted(filler)).toBe(filler);
  },
);

test('a text is counted anywhere in a message', () => {
  const prose = 'Please answer at length. '.repeat(10);
  for (const name of ['role', 'id', 'type', 'url', 'data', 'signature', 'detail', 'cache_control', 'image_url']) {
    expect(readCounted([{ type: 'text', text: 'Hi', [name]: prose }]), name).toContain(prose);
  }
  expect(readCounted([{ type: 'file', file: { file_data: `data:text/plain;base64,${btoa(prose)}` } }])).toBe(prose);
});

test('names, files and their addresses cost nothing, nor do members outside the messages', () => {
  const files = [
    { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBOR'.repeat(1_000)}`, detail: 'high' } },
    { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
    { type: 'input_audio', input_audio: { data: 'QUJD'.repeat(1_000), format: 'wav' } },
    { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' }, id: 'call_1' },
  ];
  const beside = { user: 'u-1', metadata: { a: 'b c d' }, stop: ['x y'], prompt_cache_key: 'k k' };
  expect(readCounted(files, beside)).toBe('Hi');
});

test('a text spread over several parts is counted once', () => {
  expect(readCounted([{ text: 'one ' }, { text: 'two' }])).toBe('one |two');
});

test.each([
  { reasoning_content: 'Hm.' },
  { reasoning: 'Hm.', reasoning_details: [{ text: 'Hm.' }] },
  {
    reasoning_details: [
      { type: 'reasoning.text', text: 'H' },
      { type: 'reasoning.summary', summary: 'm.' },
    ],
  },
])('shown reasoning is counted once, whatever a server calls it: %j', (reasoning) => {
  const bytes = Buffer.from(JSON.stringify({ choices: [{ message: { content: 'Yes.', ...reasoning } }] }));
  const asked = { api: 'openai', method: 'POST', path: '/v1/chat/completions' } as const;
  expect(readText({ of: 'answer', asked, bytes }, 'model').parts).toEqual(['Hm.', 'Yes.']);
});
