import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findOperation } from '../../test/find-operation.ts';
import { openAnswerPipe } from './answer-pipe.ts';

const openStripper = () =>
  openAnswerPipe(findOperation('/v1/chat/completions'), { 'content-type': 'text/event-stream' }, { stripsUsage: true });

/** The bytes that the agent gets if the answer comes in chunks that end at the given positions. */
function strip(bytes: Buffer, cuts: readonly number[] = []): Buffer {
  const stripper = openStripper();
  const out: Buffer[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    // The memory is used again after each push, as a socket might do.
    const chunk = Buffer.from(bytes.subarray(from, cut));
    out.push(Buffer.from(stripper.push(chunk)));
    chunk.fill(0);
    from = cut;
  }
  out.push(stripper.end());
  return Buffer.concat(out);
}

const usage = '{"id":"c","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}';
const others = [
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Grüße \\"usage\\":{}"}}],"usage":null}',
  'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}',
  'data: {"id":"c","choices":[],"usage":null}',
  'data: {"choices": [{"delta": {"content": "a"}}], "usage": null, "model": "m"}',
  'data: {"choices":[{"delta":{"content":",\\"usage\\":null"}}],"used":null}',
  'data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}',
  'data: {"choices":[{"delta":{"content":"\\"choices\\":[],\\"usage\\":{}"}}]}',
  'data: {"usage":{"prompt_tokens":1}}',
  'data: {"choices":[],"usage":{"prompt_tokens":1},"citations":["https://example.com"]}',
  'data: {"choices":[],"usage":[]}',
  'data: {"choices": [], "usage": {',
  'data: [DONE]',
  ': ping',
  'event: error\ndata: {"error":{"message":"no"}}',
  'data: not json "usage" "choices":[]',
  '',
];
const usages = [
  `data: ${usage}`,
  `data:${usage}`,
  'data: {"usage": {"prompt_tokens": 1}, "choices" : [ ]}',
  `event: message\ndata: ${usage}`,
  'data: {"choices":[],\ndata: "usage":{}}',
  'data: {"choices":[],"usage":{},"x_groq":{"id":"r"},"citations":[],"obfuscation":"x","prompt_filter_results":null}',
];

const frames = fc.array(
  fc.tuple(
    fc.oneof(
      fc.constantFrom(...others).map((text) => ({ text, dropped: false })),
      fc.constantFrom(...usages).map((text) => ({ text, dropped: true })),
    ),
    fc.constantFrom('\n', '\r\n', '\r'),
  ),
  { maxLength: 12 },
);

/** The bytes of frames, and what must be left of them. A frame's lines and its blank line end alike. */
function build(parts: [{ text: string; dropped: boolean }, string][]): { all: Buffer; kept: Buffer } {
  const bytes = (chosen: typeof parts) =>
    // A blank frame is one line end, which would run together with the CR of a frame before it.
    Buffer.from(chosen.map(([{ text }, end]) => (text === '' ? '' : text.replaceAll('\n', end) + end + end)).join(''));
  const kept = bytes(parts.filter(([{ dropped }]) => !dropped)).toString('latin1');
  return { all: bytes(parts), kept: Buffer.from(kept.replaceAll(/, ?"usage": ?null/g, ''), 'latin1') };
}

describe('the usage chunk is taken out and every other byte stays', () => {
  test('in one piece', () => {
    fc.assert(
      fc.property(frames, (parts) => {
        const { all, kept } = build(parts);
        expect(strip(all).toString()).toBe(kept.toString());
      }),
      { numRuns: 150 },
    );
  });

  test('byte by byte, and split anywhere', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(2_000)), (parts, positions) => {
        const { all, kept } = build(parts);
        expect(strip(all, [...all.keys()]).toString()).toBe(kept.toString());
        expect(
          strip(
            all,
            positions.map((at) => at % (all.length + 1)),
          ).toString(),
        ).toBe(kept.toString());
      }),
      { numRuns: 100 },
    );
  });

  test('cut in two at every byte', () => {
    const { all, kept } = build(
      [...others, ...usages].map((text) => [{ text, dropped: usages.includes(text) }, '\r\n']),
    );
    for (let at = 0; at <= all.length; at++) expect(strip(all, [at]).equals(kept)).toBe(true);
  });

  test('where the last frame has no blank line', () => {
    expect(strip(Buffer.from(`data: [DONE]\n\ndata: ${usage}`)).toString()).toBe('data: [DONE]\n\n');
    expect(strip(Buffer.from(`data: ${usage}\n\ndata: [DONE]\n`)).toString()).toBe('data: [DONE]\n');
    expect(strip(Buffer.from('data: {"choices":[],"usa')).toString()).toBe('data: {"choices":[],"usa');
  });

  test('in bytes that are no stream at all', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(300)), (bytes, positions) => {
        const all = Buffer.from(bytes);
        expect(
          strip(
            all,
            positions.map((at) => at % (all.length + 1)),
          ).equals(all),
        ).toBe(true);
      }),
    );
  });
});

describe('nothing is held back without need', () => {
  const push = (text: string) => openStripper().push(Buffer.from(text)).toString();

  test('a whole frame goes out at once, as the very bytes that came', () => {
    const chunk = Buffer.from('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n');
    const out = openStripper().push(chunk);
    expect(out.toString()).toBe(chunk.toString());
    expect(out.buffer).toBe(chunk.buffer);
  });

  test('a part of a frame goes out once it cannot be the usage chunk', () => {
    expect(push('data: {"id":"c","choices":[{"del')).toBe('data: {"id":"c","choices":[{"del');
    expect(push('data: [DO')).toBe('data: [DO');
    expect(push('data: {"id":"c","cho')).toBe('');
  });

  test('a part that is too long goes out, and so does the rest of its frame', () => {
    const stripper = openStripper();
    const long = `data: {"choices":[],"x":"${'y'.repeat(20_000)}`;
    const rest = '","usage":{}}\n\n';
    expect(stripper.push(Buffer.from(long)).toString()).toBe(long);
    expect(stripper.push(Buffer.from(rest)).toString()).toBe(rest);
    expect(stripper.push(Buffer.from(`data: ${usage}\n\n: ping\n\n`)).toString()).toBe(': ping\n\n');
  });
});
