import { gzipSync } from 'node:zlib';
import { listFindings } from '@agp/metering';
import { writeForm } from '@agp/testing/corpus';
import { describe, expect, test } from 'vitest';
import { everyKind, redactRequest } from './data-texts.ts';

const card = '4111 1111 1111 1111';
const email = 'john.doe@example.com';
const send = (body: unknown) => redactRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
const chat = (content: unknown) => ({ model: 'm', messages: [{ role: 'user', content }] });
const nest = (value: unknown, times: number): unknown =>
  times === 0 ? value : nest(JSON.stringify([value]), times - 1);

describe('a request', () => {
  test.each<[string, unknown, RegExp]>([
    ['escaped', '{"messages":[{"content":"\\u0034111 1111 1111 111\\u0031 \\n"}]}', /"\[credit_card\] \\n"/],
    [
      'with a solidus escaped',
      '{"messages":[{"content":"x\\/john.doe\\u0040example.com\\/"}]}',
      /x\\\/\[email\]\\\/|"x\\\/\[email\]/,
    ],
    ['with invisible characters', chat(`pay 4111\u200b 1111\u2060 1111 1111\u00ad.`), /pay \[credit_card\]/],
    [
      'in digits of other scripts',
      chat('pay ٤١١١ ١١١١ ١١١١ ١١١١ now, or ４１１１ １１１１ １１１１ １１１１'),
      /pay \[credit_card\] now, or \[credit_card\]/,
    ],
    [
      'with HTML entities and per cent',
      chat('john.doe&#64;example.com or john.doe%40example.com'),
      /^[^@]*\[email\] or \[email\]"/,
    ],
    [
      'in parts of one message',
      chat([
        { type: 'text', text: 'pay 4111 1111' },
        { type: 'text', text: ' 1111 1111 now' },
      ]),
      /"pay \[credit_card\]"\},\{"type":"text","text":" now"/,
    ],
    [
      'in parts of Gemini',
      { contents: [{ parts: [{ text: '4111 1111' }, { text: ' 1111 1111' }] }] },
      /"\[credit_card\]"\},\{"text":""/,
    ],
    [
      'as a name of a member',
      { messages: [{ content: 'x', [email]: 1 }], metadata: { '4111 1111 1111 1111': 'x' } },
      /"\[email\]":1.*"\[credit_card\]":"x"/,
    ],
    [
      'twice by one name',
      `{"messages":[{"content":"${email}","content":"${card}"}]}`,
      /"\[email\]","content":"\[credit_card\]"/,
    ],
    [
      'as a number of a tool',
      { messages: [{ content: [{ type: 'tool_use', input: { card: 4111111111111111, n: 12 } }] }] },
      /\{"card":"\[credit_card\]","n":12\}/,
    ],
    [
      'as a number in a tool’s arguments',
      { messages: [{ tool_calls: [{ function: { arguments: '{"card":4111111111111111}' } }] }] },
      /"\{\\"card\\":\\"\[credit_card\]\\"\}"/,
    ],
    ['as a number in a message of JSON', chat('{"card": 4111111111111111}'), /"\{\\"card\\": \\"\[credit_card\]\\"\}"/],
    ['in an id', { messages: [{ role: 'tool', tool_call_id: `call ${email}`, content: 'x' }] }, /"call \[email\]"/],
    [
      'in metadata and names of files',
      { metadata: { who: email }, input: [{ type: 'input_file', filename: `${email} cv.txt` }] },
      /"who":"\[email\]".*"filename":"\[email\]/,
    ],
    [
      'beside lone surrogates',
      '{"messages":[{"content":"\\ud800 john.doe@example.com \\udc00"}]}',
      /\\ud800 \[email\] \\udc00/,
    ],
    ['beside an unpaired quote', chat('"john.doe@example.com'), /"\\"\[email\]"/],
    ['behind what looks like JSON', chat('[1] john.doe@example.com {'), /\[1\] \[email\] \{/],
  ])('hides no value %s', async (_name, body, expected) => {
    const { text, unsearched } = await send(body);
    expect(text).toMatch(expected);
    expect(text).not.toMatch(/1111|doe/);
    expect(unsearched).toBe(null);
    JSON.parse(text);
  });

  test.each([0, 1, 3, 5, 6])('hides no value in JSON in strings, %d deep', async (times) => {
    const { text } = await send(chat(nest(`say "${email}" \\ \n`, times)));
    expect(text).toBe(JSON.stringify(chat(nest('say "[email]" \\ \n', times))));
  });

  test('does not hide a value that is deeper, but for what its escapes hide', async () => {
    expect((await send(chat(nest(`say ${email}`, 9)))).text).toBe(JSON.stringify(chat(nest('say [email]', 9))));
  });

  test.each<[string, Buffer, string]>([
    ['UTF-16', Buffer.from(JSON.stringify(chat(email)), 'utf16le'), 'what is no JSON'],
    ['a byte order mark', Buffer.from(`\ufeff${JSON.stringify(chat(email))}`), 'what is no JSON'],
    ['comments', Buffer.from(`{"a":1 /* ${email} */}`), 'what is no JSON'],
    ['invalid escapes', Buffer.from(`{"a":"\\x40 ${email}"}`), 'what is no JSON'],
    ['a text that ends early', Buffer.from(`{"a":"${email}`), 'what is no JSON'],
    ['two values', Buffer.from(`{"a":1}{"b":"${email}"}`), 'what is no JSON'],
    ['deep nesting', Buffer.from('['.repeat(600) + ']'.repeat(600)), 'what is no JSON'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'what is not UTF-8'],
    ['gzip that nobody named', gzipSync(JSON.stringify(chat(email))), 'what is not UTF-8'],
    ['two million values', Buffer.from(`[${'1,'.repeat(2_000_000)}1]`), 'more than a million values'],
  ])('in %s is told to be unsearched', async (_name, bytes, why) => {
    expect((await redactRequest(bytes)).unsearched).toBe(why);
  });

  test('of nested lists and objects within bounds is searched', async () => {
    const deep = (open: string, close: string) => `${open.repeat(500)}"${email}"${close.repeat(500)}`;
    for (const json of [deep('[', ']'), deep('{"a":', '}')]) {
      const { text, unsearched } = await send(json);
      expect([text, unsearched]).toEqual([json.replace(email, '[email]'), null]);
    }
  });

  test('with a file in a form, or a picture, is told to be unsearched', async () => {
    const file = { name: 'file', filename: 'a.txt', type: 'text/plain', content: Buffer.from(email) };
    const { bytes, contentType } = writeForm({ prompt: email }, file);
    expect(await redactRequest(bytes, contentType)).toMatchObject({
      unsearched: 'a file of the form',
      isChangeable: false,
    });
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(4_000) } };
    expect((await send(chat([picture]))).unsearched).toContain('the member "data"');
  });

  test('with a value in one part and another over it and the next tells both', async () => {
    const parts = ['call +44 20 7946 0958', '@example.com or 4111 1111 11', '11 1111 now'];
    const { text, places } = await send(chat(parts.map((each) => ({ type: 'text', text: each }))));
    const kinds = [...listFindings(places)].map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['phone', 'email', 'credit_card']));
    expect(text).not.toMatch(/0958|example|1111/);
  });

  test('that is base64, or split over messages, is not seen through', async () => {
    const hidden = chat(Buffer.from(`my card is ${card}`).toString('base64'));
    const split = { messages: [{ content: 'pay 4111 1111' }, { content: '1111 1111' }] };
    for (const body of [hidden, split]) expect((await send(body)).text).toBe(JSON.stringify(body));
  });
});

describe('large bodies', () => {
  const large = 4 * 1024 * 1024;
  test.each<[string, () => string, number]>([
    ['ten thousand values', () => Array.from({ length: 10_000 }, (_, at) => `a${at}@example.com`).join(' '), 10_000],
    ['a text of megabytes', () => `${'The quick brown fox jumps. '.repeat(large / 27)} ${email}`, 1],
    ['one long word', () => `${'a'.repeat(large)} ${email}`, 1],
    ['digits alone', () => `${'4'.repeat(large)} ${email}`, 1],
    ['quotes and backslashes', () => `${'"\\'.repeat(large / 4)} ${email}`, 1],
    ['open brackets', () => `${'['.repeat(large)} ${email}`, 1],
  ])('with %s are searched', async (_name, make, count) => {
    const { text, places, unsearched } = await send(chat(make()));
    expect([places.length, unsearched]).toEqual([count, null]);
    expect(text).not.toContain('@');
  });

  test('in characters of all lengths stay whole around values', async () => {
    const around = ['a', 'é', '語', '😀', '\u2028'].map((each) => each.repeat(70_001));
    const text = around.map((each) => `${each} ${email} ${each}`).join('\n');
    expect((await send(chat(text))).text).toBe(JSON.stringify(chat(text.replaceAll(email, '[email]'))));
  });

  test('with values over ten thousand parts are searched', async () => {
    const parts = Array.from({ length: 10_000 }, (_, at) => ({
      type: 'text',
      text: at % 2 ? '@example.com; ' : `a${at}`,
    }));
    const { text, places } = await send(chat(parts));
    expect(places.length).toBe(10_000);
    expect(text).not.toContain('@');
  });

  test('with too many values are told, with each kind of them', async () => {
    const { places, unsearched, isChangeable } = await send(chat(`${'b@example.com '.repeat(100_000)} ${card}`));
    expect([unsearched, isChangeable]).toEqual(['more than 20,000 findings', false]);
    expect(new Set(places.map(({ kind }) => kind))).toEqual(new Set(['email', 'credit_card']));
  });
});

test('patterns made to be slow take no longer than others', async () => {
  const patterns = ['(a+)+b{1,9}', '(a|a)*c', '(.*a){9}d', '(\\w+\\s?)+!'].map((pattern, at) => ({
    ...{ kind: `own/${at}`, pattern, longest: 32 },
  }));
  const config = { ...everyKind, kinds: [...everyKind.kinds, ...patterns.map(({ kind }) => kind)], patterns };
  const body = Buffer.from(JSON.stringify(chat('a'.repeat(5_000))));
  expect((await redactRequest(body, 'application/json', config)).unsearched).toBe(null);
});
