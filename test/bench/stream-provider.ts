import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatAnswer } from './chat-call.ts';

/*
 * The provider of benchmarks: streams as many chunks as a request's `x-bench-chunks` says, one write each, and says in each
 * chunk's text when it was written, on the clock that all processes of a machine share. `x-bench-pause-ms` says how far apart;
 * if that is 0, calls are counted, and the times are the same in each run, since digits are searched as numbers of people.
 * Without the first header it answers whole: after `x-bench-wait-ms`, else after BENCH_WAIT_MS, else at once. It refuses the key
 * `sk-nobody`.
 */

/** Of a machine that has run for an hour, in nanoseconds. */
const firstTime = 3_600_123_456_789n;
const waitMs = Number(process.env.BENCH_WAIT_MS ?? 0);
const usualPauseMs = Number(process.env.BENCH_PAUSE_MS ?? 1);

const frame = (data: object, event = '') => `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

/** What a stream begins with, its chunks, and what it ends with, in each API's form. */
interface Dialect {
  opening: string;
  chunk(text: string): string;
  closing: string;
}

const usage = { prompt_tokens: 200, completion_tokens: 1_000, total_tokens: 1_200 };
const chatHead = { id: 'chatcmpl-b', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'gpt-4o-mini' };
const toChat = (delta: object, finish_reason: string | null = null) =>
  frame({ ...chatHead, choices: [{ index: 0, delta, finish_reason }] });

function chat(includeUsage: boolean): Dialect {
  return {
    opening: '',
    chunk: (content) => toChat({ content }),
    closing: `${toChat({}, 'stop')}${includeUsage ? frame({ ...chatHead, choices: [], usage }) : ''}data: [DONE]\n\n`,
  };
}

const messageHead = { id: 'msg_b', type: 'message', role: 'assistant', model: 'claude-haiku-4-5', content: [] };
const anthropic: Dialect = {
  opening:
    frame(
      { type: 'message_start', message: { ...messageHead, usage: { input_tokens: 200, output_tokens: 1 } } },
      'message_start',
    ) +
    frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 'content_block_start'),
  chunk: (text) =>
    frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, 'content_block_delta'),
  closing:
    frame({ type: 'content_block_stop', index: 0 }, 'content_block_stop') +
    frame(
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1_000 } },
      'message_delta',
    ) +
    frame({ type: 'message_stop' }, 'message_stop'),
};

const toGemini = (parts: object[], more: object = {}) =>
  frame({ candidates: [{ content: { parts, role: 'model' }, index: 0 }], modelVersion: 'gemini-2.5-flash', ...more });
const gemini: Dialect = {
  opening: '',
  chunk: (text) => toGemini([{ text }]),
  closing: toGemini([], {
    usageMetadata: { promptTokenCount: 200, candidatesTokenCount: 1_000, totalTokenCount: 1_200 },
  }),
};

function chooseDialect(target: string, body: string): Dialect {
  if (target.includes('/messages')) return anthropic;
  if (target.includes('/models/')) return gemini;
  return chat(body.includes('"include_usage":true'));
}

interface Length {
  chunks: number;
  pauseMs: number;
}

async function stream(
  response: ServerResponse,
  { opening, chunk, closing }: Dialect,
  { chunks, pauseMs }: Length,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (opening) response.write(opening);
  for (let index = 0; index < chunks && !response.destroyed; index += 1) {
    if (index > 0) await sleep(pauseMs);
    const at = pauseMs === 0 ? firstTime + BigInt(index) * 20_000n : process.hrtime.bigint();
    response.write(chunk(`@${at} word `));
  }
  response.end(closing);
}

/** With an id of its own, as every answer has: what is remembered of one is of no use for the next. */
function answerAtOnce(response: ServerResponse): void {
  const answer = chatAnswer.replace('chatcmpl-bench', `chatcmpl-${randomBytes(22).toString('base64url')}`);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
  response.end(answer);
}

function refuse(response: ServerResponse): void {
  response.writeHead(401, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }));
}

const server = createServer((request, response) => {
  const chunks = request.headers['x-bench-chunks'];
  if (chunks === undefined) {
    const ms = Number(request.headers['x-bench-wait-ms'] ?? waitMs);
    request.resume().once('end', () => {
      if (request.headers.authorization === 'Bearer sk-nobody') refuse(response);
      else if (ms > 0) setTimeout(answerAtOnce, ms, response);
      else answerAtOnce(response);
    });
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    body += piece;
  });
  request.once('end', () => {
    const dialect = chooseDialect(request.url ?? '', body);
    const pauseMs = Number(request.headers['x-bench-pause-ms'] ?? usualPauseMs);
    void stream(response, dialect, { chunks: Number(chunks), pauseMs });
  });
});

server.listen(0, '127.0.0.1', () => {
  process.send?.({ ready: true, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.once('disconnect', () => process.exit(0));
