import { ApiError } from '@agp/core/errors';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { expect, test } from 'vitest';
import type { Provider } from '../settings/provider.ts';
import { openStreamEnd } from './stream-end.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);
const head = { operation: null, provider: { api: 'anthropic' } as Provider };
const blocked = new ApiError('agent_blocked');
const open = (type: string) => openStreamEnd(head, { 'content-type': type });

test("AWS' event stream ends with an exception, and only behind a whole message", () => {
  const end = open('application/vnd.amazon.eventstream');
  const exception = end?.format(blocked, 'ops') as Buffer;
  const { headers, body } = codec.decode(exception);
  expect(headers[':exception-type']?.value).toBe('validationException');
  expect(Buffer.from(body).toString()).toContain('governance proxy: agent blocked; ask ops');
  const canEnd = [...exception].map((byte) => {
    end?.push(Buffer.from([byte]));
    return end?.format(blocked, undefined) !== null;
  });
  expect(canEnd).toEqual([...exception].map((_, at) => at === exception.length - 1));
});

test('a stream of text ends as its dialect says; an answer that is no stream does not', () => {
  expect(open('text/event-stream')?.format(blocked, undefined)?.toString()).toContain('event: error');
  expect(open('application/json')).toBeNull();
});
