import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from '../json/scan.ts';
import { spliceStreamUsage } from './splice-usage.ts';

const spliceBytes = (bytes: Buffer) => spliceStreamUsage(bytes, readJson(bytes, 'outline').object);

function splice(text: string): { text: string; added: boolean } {
  const { body, added } = spliceBytes(Buffer.from(text));
  return { text: body.toString(), added };
}

describe('include_usage is put in', () => {
  test.each([
    ['{"stream":true}', '{"stream_options":{"include_usage":true},"stream":true}'],
    [' \r\n\t{ "stream" : true } \n', ' \r\n\t{"stream_options":{"include_usage":true}, "stream" : true } \n'],
    ['{"a":"ü\u2028","stream":true}', '{"stream_options":{"include_usage":true},"a":"ü\u2028","stream":true}'],
    ['{"stre\\u0061m":true}', '{"stream_options":{"include_usage":true},"stre\\u0061m":true}'],
    ['{"stream":true,"stream_options":null}', '{"stream":true,"stream_options":{"include_usage":true}}'],
    ['{"stream":true,"stream_options":{}}', '{"stream":true,"stream_options":{"include_usage":true}}'],
    [
      '{"stream":true,"stream_options":{ "include_obfuscation":false }}',
      '{"stream":true,"stream_options":{"include_usage":true, "include_obfuscation":false }}',
    ],
    [
      '{"stream":false,"stream":true,"stream_options":{"include_usage":true},"stream_options":{"x":1}}',
      '{"stream":false,"stream":true,"stream_options":{"include_usage":true},"stream_options":{"include_usage":true,"x":1}}',
    ],
    [
      '{"x":{"stream_options":{"include_usage":false}},"stream":true}',
      '{"stream_options":{"include_usage":true},"x":{"stream_options":{"include_usage":false}},"stream":true}',
    ],
    [
      '{"stream":true,"stream_options":{"x":{"include_usage":false}}}',
      '{"stream":true,"stream_options":{"include_usage":true,"x":{"include_usage":false}}}',
    ],
    [
      '{"a":"\\\\\\"stream_options","stream":true}',
      '{"stream_options":{"include_usage":true},"a":"\\\\\\"stream_options","stream":true}',
    ],
  ])('%s', (text, expected) => {
    expect(splice(text)).toEqual({ text: expected, added: true });
  });

  test('in a body of 10,000 levels, in front of it', () => {
    const deep = `{"messages":${'['.repeat(10_000)}${']'.repeat(10_000)},"stream":true}`;
    expect(splice(deep).text).toBe(`{"stream_options":{"include_usage":true},${deep.slice(1)}`);
  });

  test('in a body of bytes that are no UTF-8 within their string', () => {
    const body = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff, 0xc3, 0x28]),
      Buffer.from('","stream":true}'),
    ]);
    const spliced = spliceBytes(body);
    expect(spliced.body.subarray(-body.length + 1).equals(body.subarray(1))).toBe(true);
  });
});

describe('the body is left alone', () => {
  test.each([
    ['{"stream":false}'],
    ['{"stream":"true"}'],
    ['{"stream":1}'],
    ['{"messages":[{"stream":true}]}'],
    ['{"stream":true,"stream":false}'],
    ['{"stream":true,"stream_options":{"include_usage":false}}'],
    ['{"stream":true,"stream_options":{"include_usage":true}}'],
    ['{"stream":true,"stream_options":{"include_usage":null}}'],
    ['{"stream":true,"stream_options":{"include\\u005fusage":false}}'],
    ['{"stream":true,"stream_options":{"x":1},"stream_options":{"include_usage":false}}'],
    ['{"stream":true,"stream_options":"yes"}'],
    ['{"stream":true,"stream_options":[]}'],
    ['{"a":"\\"stream\\":true"}'],
    ['{}'],
    ['[{"stream":true}]'],
    ['"stream"'],
    [''],
    ['{'],
    ['{"stream"'],
    ['{"stream":'],
    ['{"stream":true'],
    ['{"stream":true,'],
    ['{"stream":true}}'],
    ['{"stream":true} x'],
    ['{"stream":}'],
    ['{"stream" true}'],
    ['{"a":"\\'],
    ['{"\\x":1,"stream":true}'],
    ['\uFEFF{"stream":true}'],
  ])('%s', (text) => {
    expect(splice(text)).toEqual({ text, added: false });
  });
});

const anyKey = fc.oneof(
  fc.constantFrom('stream', 'stream_options', 'include_usage', '__proto__', 'a"b', 'ü'),
  fc.string({ unit: 'binary' }),
);
const anyObject = fc
  .array(fc.tuple(anyKey, fc.oneof(fc.jsonValue(), fc.constantFrom(true, null, {}))))
  .map((members) => Object.fromEntries(members));

/** How many characters two texts share at their beginning. */
function countShared(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i += 1;
  return i;
}

const reverse = (text: string) => [...text].reverse().join('');

test('the result reads as the same JSON with the one member more, and is the text with something put in', () => {
  const spacing = fc.constantFrom('', ' ', '\t', 3);
  fc.assert(
    fc.property(anyObject, anyObject, spacing, fc.boolean(), (object, options, space, escaped) => {
      delete options.include_usage;
      const plain = JSON.stringify({ ...object, stream: true, stream_options: options }, null, space);
      const text = escaped ? plain.replaceAll('stream', '\\u0073tream') : plain;
      const spliced = splice(text);
      const value = JSON.parse(text);
      const expected = { ...value, stream_options: { ...value.stream_options, include_usage: true } };
      expect(spliced.added).toBe(true);
      expect(JSON.parse(spliced.text)).toEqual(expected);
      const shared = countShared(text, spliced.text) + countShared(reverse(text), reverse(spliced.text));
      expect(shared).toBeGreaterThanOrEqual(text.length);
    }),
    { numRuns: 150 },
  );
});

test('a body without options reads as the same JSON with options', () => {
  fc.assert(
    fc.property(anyObject, (object) => {
      delete object.stream_options;
      const text = JSON.stringify({ ...object, stream: true });
      const spliced = splice(text).text;
      expect(JSON.parse(spliced)).toEqual({ ...JSON.parse(text), stream_options: { include_usage: true } });
      expect(spliced.endsWith(text.slice(1))).toBe(true);
    }),
  );
});

test('any bytes can be scanned, and nothing that is no JSON becomes JSON', () => {
  const pieces = fc.constantFrom(' ', ...'{ } [ ] " \\ : , "stream" true "stream_options" null 1'.split(' '));
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      const spliced = splice(text);
      if (spliced.text !== text) expect(isJson(spliced.text)).toBe(isJson(text));
      else expect(spliced.added).toBe(false);
    }),
    { numRuns: 400 },
  );
  fc.assert(fc.property(fc.uint8Array(), (bytes) => spliceBytes(Buffer.from(bytes)).added === false));
});

test('the time grows with the size and not with its square', () => {
  const body = (n: number) =>
    Buffer.from(`{"stream":true,"a":"${'\\\\\\"'.repeat(n)}","b":${'['.repeat(n)}${']'.repeat(n)}}`);
  // By the square it would take hours.
  expect(spliceBytes(body(1_000_000)).added).toBe(true);
});
