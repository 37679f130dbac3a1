import { EventStreamCodec } from '@smithy/core/event-streams';
import { expect, test } from 'vitest';
import { messages, recorded } from '../../test/event-messages.ts';
import { findOperation } from '../../test/find-operation.ts';
import { openRedactor } from '../../test/redact.ts';
import { openAnswerPipe } from './answer-pipe.ts';
import { writeMessage } from './event-stream.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);
const encodeHeaders = (headers: Record<string, string>) =>
  Buffer.from(
    codec.formatHeaders(
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }])),
    ),
  );
const [metadata, exception, chunk] = messages as [Buffer, Buffer, Buffer];

const send = (event: string, payload: object) =>
  writeMessage(
    encodeHeaders({ ':event-type': event, ':content-type': 'application/json', ':message-type': 'event' }),
    Buffer.from(JSON.stringify(payload)),
  );
const sendChunk = (event: object) =>
  send('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abcdef' });
const say = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });

type Options = NonNullable<Parameters<typeof openAnswerPipe>[2]>;

const open = (options: Options = {}) =>
  openAnswerPipe(
    findOperation('/model/anthropic.claude-sonnet-5/invoke-with-response-stream', 'bedrock'),
    { 'content-type': 'application/vnd.amazon.eventstream' },
    { searchAnswer: () => ({ places: [], unsearched: null, isChangeable: true }), ...options },
  );

/** What passes of bytes, in pieces of such a size. */
function pass(bytes: Buffer, options: Options = {}, size = bytes.length): Buffer {
  const pipe = open(options);
  const passed: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) passed.push(pipe.push(bytes.subarray(at, at + size)));
  return Buffer.concat([...passed, pipe.end()]);
}

/** By AWS' own reader. */
function decodeAll(bytes: Buffer): { sent: Buffer; payload: Record<string, unknown> }[] {
  const all = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const sent = bytes.subarray(at, at + bytes.readUInt32BE(at));
    all.push({ sent, payload: JSON.parse(Buffer.from(codec.decode(sent).body).toString()) });
  }
  return all;
}

test('an address that two messages make is replaced in both; all others stay as they were sent', () => {
  const deltas = ['Write to jane.d', 'oe@example.com today.'].map((text) =>
    send('contentBlockDelta', { contentBlockIndex: 0, delta: { text }, p: 'abcdefgh' }),
  );
  const stop = send('contentBlockStop', { contentBlockIndex: 0, p: 'ab' });
  const sent = [send('messageStart', { role: 'assistant', p: 'abc' }), ...deltas, stop, metadata];
  for (const size of [1, 7, 100, 10_000]) {
    const passed = decodeAll(pass(Buffer.concat(sent), { redactor: openRedactor(['email']) }, size));
    expect(passed.map(({ payload }) => (payload.delta as { text: string } | undefined)?.text ?? '').join('')).toBe(
      'Write to [email] today.',
    );
    expect(passed.map((message, at) => message.sent.equals(sent[at] as Buffer))).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
  }
});

test("an address in a vendor's own event is replaced within its base64", () => {
  const sent = [sendChunk(say('Ask ann@exam')), sendChunk(say('ple.org, please.')), chunk];
  const passed = decodeAll(pass(Buffer.concat(sent), { redactor: openRedactor(['email']) }));
  const events = passed.map(({ payload }) => JSON.parse(Buffer.from(String(payload.bytes), 'base64').toString()));
  expect(events.map((event) => event.delta?.text ?? '').join('')).toBe('Ask [email], please.');
  expect(passed[0]?.payload.p).toBe('abcdef');
  expect(passed[2]?.sent).toEqual(chunk);
});

test('an address in a failure is replaced, wherever it stands', () => {
  const message = 'no ann@example.org here';
  const headers = { ':message-type': 'error', ':error-code': 'internalFailure', ':error-message': message };
  const passed = pass(writeMessage(encodeHeaders(headers), Buffer.alloc(0)), { redactor: openRedactor(['email']) });
  const read = codec.decode(passed);
  expect(read.headers[':exception-type']?.value).toBe('internalFailure');
  expect(JSON.parse(Buffer.from(read.body).toString())).toEqual({ message: 'no [email] here' });
});

test('a recorded stream passes as it came, its words held back by a message or two', async () => {
  const pipe = open({ redactor: openRedactor(['email', 'phone', 'credit_card']) });
  let passed = Buffer.alloc(0);
  for (const [at, { sent }] of decodeAll(recorded).entries()) {
    passed = Buffer.concat([passed, pipe.push(sent)]);
    while (!pipe.isReady) {
      await new Promise<void>((resolve) => pipe.whenReady(resolve));
      passed = Buffer.concat([passed, pipe.push(Buffer.alloc(0))]);
    }
    expect(at + 1 - decodeAll(passed).length).toBeLessThanOrEqual(2);
  }
  // Behind the last word nothing waits for the end of the connection.
  expect(passed).toEqual(recorded);
  expect(pipe.end().length).toBe(0);
});

const needy = () => Object.assign(openRedactor(['email']), { passesUnread: () => false });

test('what is found in Base64 is replaced, however its JSON is written', () => {
  const inner = Buffer.from(JSON.stringify(say('??? ann@example.org >>>'))).toString('base64');
  for (const payload of [
    `{"bytes":"${inner.replaceAll('/', '\\/').replaceAll('=', '\\u003d')}"}`,
    `{"x":{"bytes":"AAAA"}, "bytes" : "${inner}"}`,
  ]) {
    const headers = encodeHeaders({ ':event-type': 'chunk', ':message-type': 'event' });
    const [passed] = decodeAll(
      pass(writeMessage(headers, Buffer.from(payload)), { redactor: openRedactor(['email']) }),
    );
    expect(Buffer.from(String(passed?.payload.bytes), 'base64').toString()).toContain('??? [email] >>>');
  }
});

test('what agents may read in another way is unread, and a rule that needs it ends the answer', () => {
  const inner = Buffer.from('{"type":"ping"}').toString('base64');
  const many = Buffer.from(JSON.stringify(Array(100_001).fill(1))).toString('base64');
  const headers = encodeHeaders({ ':event-type': 'chunk', ':message-type': 'event' });
  for (const bytes of [`"${inner}","bytes":"${inner}"`, `"${inner.slice(0, 4)} ${inner.slice(4)}"`, `"${many}"`]) {
    const sent = Buffer.concat([chunk, writeMessage(headers, Buffer.from(`{"bytes":${bytes}}`))]);
    expect(pass(sent)).toEqual(sent);
    expect(pass(sent, { redactor: needy() })).toEqual(chunk);
  }
});

const broken = Buffer.concat([metadata, metadata.subarray(0, 60), Buffer.alloc(500, 7), exception]);

test('what cannot be read passes only if no rule needs it', () => {
  for (const size of [1, 50, broken.length]) {
    expect(pass(broken, {}, size)).toEqual(broken);
    expect(pass(broken, { redactor: openRedactor(['email']) }, size)).toEqual(broken);
    expect(pass(broken, { redactor: needy() }, size)).toEqual(metadata);
    expect(pass(broken, { allows: (names) => names !== null }, size)).toEqual(metadata);
  }
});

test('a stream tells whether it was read, and whether it failed', async () => {
  const read = async (...sent: Buffer[]) => {
    const pipe = open();
    pipe.push(Buffer.concat(sent));
    pipe.end();
    const { inspected, failed, isError } = await pipe.read();
    return { inspected, failed, isError };
  };
  const said = sendChunk(say('Hi'));
  expect(await read(said, chunk)).toMatchObject({ inspected: true, failed: false });
  expect(await read(said, exception)).toMatchObject({ inspected: true, failed: true });
  expect(await read(exception)).toMatchObject({ failed: true, isError: true });
  expect(await read(said, chunk.subarray(0, 80))).toMatchObject({ inspected: true, failed: false });
  expect(await read(broken)).toMatchObject({ inspected: false });
});
