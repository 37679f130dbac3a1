import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readText } from '../text-source.ts';
import { isForm, parseFormFields, parseRequestBody } from './form.ts';

/** A form as clients write it. */
async function write(form: FormData): Promise<{ bytes: Buffer; contentType: string }> {
  const request = new Request('http://localhost', { method: 'POST', body: form });
  return { bytes: Buffer.from(await request.arrayBuffer()), contentType: request.headers.get('content-type') ?? '' };
}

async function writeTranscription(sound: Uint8Array<ArrayBuffer>) {
  const form = new FormData();
  form.set('model', 'whisper-1');
  form.append('timestamp_granularities[]', 'word');
  form.append('timestamp_granularities[]', 'segment');
  form.set('file', new Blob([sound]), 'speech.mp3');
  form.set('prompt', 'Grüße,\r\nAda');
  form.set('language', '');
  return write(form);
}

const fields = {
  model: 'whisper-1',
  timestamp_granularities: ['word', 'segment'],
  prompt: 'Grüße,\r\nAda',
  language: '',
};

describe('text fields of a form', () => {
  test('are read, and its file is not', async () => {
    const { bytes, contentType } = await writeTranscription(new Uint8Array([13, 10, 45, 45, 0, 255]));
    expect(parseFormFields(bytes, contentType, 100)).toEqual(fields);
    expect(parseRequestBody(bytes, contentType)).toEqual(fields);
  });

  test('are read with anything in the values', async () => {
    const values = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'binary' }), { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(values, async (given) => {
        // FormData itself writes line breaks as CRLF, and quotes and breaks in names as escapes.
        const plain = Object.entries(given).filter(([key]) => !/["\r\n]|\[\]$/.test(key));
        const form = new FormData();
        for (const [key, value] of plain) form.append(key, value);
        const expected = plain.map(([key, value]) => [
          key.toWellFormed(),
          value.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n'),
        ]);
        const { bytes, contentType } = await write(form);
        expect(parseFormFields(bytes, contentType, bytes.length)).toEqual(Object.fromEntries(expected));
      }),
      { numRuns: 40 },
    );
  });

  test('that are longer than asked for are cut', async () => {
    const { bytes, contentType } = await writeTranscription(new Uint8Array(1));
    expect(parseFormFields(bytes, contentType, 9)).toEqual({
      ...fields,
      prompt: Buffer.from(fields.prompt).toString('utf8', 0, 9),
    });
  });

  test.each([
    [
      'unquoted, with a comment before and padding',
      'multipart/form-data; boundary=b',
      'before\r\n--b \t\r\nContent-Disposition: form-data; name=model\r\n\r\nm\r\n--b--\r\nafter',
    ],
    [
      'quoted, in capitals',
      'Multipart/Form-Data; charset=utf-8; Boundary="b"',
      '--b\r\nCONTENT-DISPOSITION: form-data; NAME="model"\r\nContent-Type: text/plain\r\n\r\nm\r\n--b--',
    ],
    [
      'next to a part without a name',
      'multipart/form-data; boundary=b',
      '--b\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--b--',
    ],
  ])('are read when %s', (_, contentType, body) => {
    expect(isForm(contentType)).toBe(true);
    expect(parseFormFields(Buffer.from(body), contentType, 100)).toEqual({ model: 'm' });
  });

  test.each([
    ['no boundary', 'multipart/form-data', '--b\r\n\r\n\r\n--b--'],
    ['a boundary that is too long', `multipart/form-data; boundary=${'b'.repeat(71)}`, `--${'b'.repeat(71)}--`],
    ['another boundary', 'multipart/form-data; boundary=c', '--b\r\n\r\n\r\n--b--'],
    ['no end', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'],
    ['an end within the headers', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="a"'],
    ['headers without end', 'multipart/form-data; boundary=b', `--b\r\n${'x'.repeat(10_000)}\r\n\r\nm\r\n--b--`],
    ['too many parts', 'multipart/form-data; boundary=b', `${'--b\r\n\r\n\r\n'.repeat(1_001)}--b--`],
    ['nothing at all', 'multipart/form-data; boundary=b', ''],
  ])('cannot be read: %s', (_, contentType, body) => {
    expect(parseFormFields(Buffer.from(body), contentType, 100)).toBeUndefined();
  });

  test('never throws', () => {
    const lines = fc.constantFrom(
      '--b',
      '--b--',
      '',
      'Content-Disposition: form-data; name="a"',
      '; filename="x"',
      '-',
      'b',
    );
    const bodies = fc.array(fc.oneof(lines, fc.string()), { maxLength: 12 }).map((parts) => parts.join('\r\n'));
    fc.assert(
      fc.property(bodies, (body) => {
        const found = parseFormFields(Buffer.from(body), 'multipart/form-data; boundary=b', 100);
        for (const value of Object.values(found ?? {}).flat()) expect(typeof value).toBe('string');
      }),
      { numRuns: 200 },
    );
  });
});

describe('the text of a form', () => {
  const asked = { api: 'openai', method: 'POST', path: '/v1/audio/transcriptions' } as const;

  test('is what the model reads of it', async () => {
    const { bytes, contentType } = await writeTranscription(new Uint8Array(1_000).fill(97));
    expect(readText({ of: 'request', asked, bytes, contentType }, 'model')).toEqual({
      parts: ['Grüße,\r\nAda'],
      whole: true,
    });
  });

  test('is not sought in one that is broken', async () => {
    const { bytes, contentType } = await writeTranscription(new Uint8Array(1_000).fill(97));
    const cut = bytes.subarray(0, -10);
    expect(readText({ of: 'request', asked, bytes: cut, contentType }, 'model')).toEqual({ parts: [], whole: false });
  });
});
