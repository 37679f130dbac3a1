import { gzipSync } from 'node:zlib';
import { openAnswerPipe } from '../src/answer/answer-pipe.ts';
import type { Operation } from '../src/dialects/operation.ts';
import { matchOperation } from '../src/match-operation.ts';

/*
 * Answers that are made to fill their reader's memory. `answer-bombs.test.ts` runs this in a process with little memory, which
 * crashes if an answer is held whole.
 */

function find(api: 'openai' | 'anthropic', method: 'GET' | 'POST', path: string): Operation {
  const found = matchOperation(api, method, path);
  if (!found) throw new Error(`no operation at ${path}`);
  return found;
}

const sse = { 'content-type': 'text/event-stream' };
const chat = find('openai', 'POST', '/v1/chat/completions');

async function read(
  operation: Operation,
  headers: Record<string, string>,
  pieces: Iterable<Buffer>,
  options: Parameters<typeof openAnswerPipe>[2] = {},
) {
  const pipe = openAnswerPipe(operation, headers, options);
  for (const piece of pieces) {
    pipe.push(piece);
    if (!pipe.isReady) await new Promise<void>((resolve) => pipe.whenReady(resolve));
  }
  return pipe.read();
}

function* repeat(text: (index: number) => string, times: number): Iterable<Buffer> {
  for (let index = 0; index < times; index += 1) yield Buffer.from(text(index));
}

const long = (at: number) => `${'n'.repeat(300_000)}${at}`;

const bombs: Record<string, () => Promise<unknown>> = {
  /** Under a megabyte of gzip: half a million calls. */
  'batch results': () => {
    const usage = { input_tokens: 7, output_tokens: 1 };
    const line = `${JSON.stringify({ result: { type: 'succeeded', message: { model: 'm', usage } } })}\n`;
    const results = find('anthropic', 'GET', '/v1/messages/batches/b/results');
    const body = gzipSync(Buffer.alloc(500_000 * line.length, line), { level: 1 });
    const pieces = Array.from({ length: Math.ceil(body.length / 65_536) }, (_, at) =>
      body.subarray(at * 65_536, (at + 1) * 65_536),
    );
    return read(results, { 'content-type': 'application/x-jsonl', 'content-encoding': 'gzip' }, pieces);
  },
  /** A body that comes in very small pieces, each a part of what was read from a socket. */
  'small pieces of JSON': () => {
    const socket = Buffer.alloc(64, 'x');
    function* pieces() {
      for (let at = 0; at < 1_500_000; at += 1) yield socket.subarray(at % 60, (at % 60) + 4);
    }
    return read(chat, { 'content-type': 'application/json' }, pieces());
  },
  'small pieces of a frame': () =>
    read(
      chat,
      sse,
      repeat((at) => `${at % 9}xyz`, 1_500_000),
    ),
  'small pieces of a frame that a policy holds': () =>
    read(
      chat,
      sse,
      repeat((at) => `${at === 0 ? 'data: ' : ''}${at % 9}xyz`, 1_500_000),
      { allows: () => true },
    ),
  'small pieces of an answer that a policy holds': () =>
    read(
      chat,
      { 'content-type': 'application/json' },
      repeat((at) => (at === 0 ? '{"a":"' : 'wxyz'), 1_500_000),
      { allows: () => true },
    ),
  'long names': () =>
    read(
      chat,
      sse,
      repeat((at) => `data: {"choices":[{"index":"${'n'.repeat(200_000)}${at}","delta":{"content":"a"}}]}\n\n`, 300),
    ),
  'ends without end': () =>
    read(
      find('openai', 'POST', '/v1/images/generations'),
      sse,
      repeat(
        () => 'data: {"type":"image_generation.completed","usage":{"input_tokens":1,"output_tokens":1}}\n\n',
        250_000,
      ),
    ),
  'new names in every frame': () =>
    read(
      find('anthropic', 'POST', '/v1/messages'),
      sse,
      repeat(
        (at) => `data: {"type":"message_delta","usage":{"output_tokens":1,"k${at}":"${'v'.repeat(4_000)}"}}\n\n`,
        15_000,
      ),
    ),
  'items that ran': () =>
    read(
      find('openai', 'POST', '/v1/responses'),
      sse,
      repeat((at) => {
        const item = {
          type: 'code_interpreter_call',
          status: long(at),
          container_id: long(at),
          environment: { a: long(at) },
        };
        return `data: ${JSON.stringify({ type: 'response.output_item.done', item })}\n\n`;
      }, 300),
    ),
  'tools that ran': () =>
    read(
      chat,
      sse,
      repeat((at) => {
        const delta = { executed_tools: [{ index: long(at), type: long(at) }] };
        const choices = [{ delta }];
        return `data: ${JSON.stringify({ choices, usage: { prompt_tokens: 1, completion_tokens: 1 } })}\n\n`;
      }, 300),
    ),
  'figures with long names': () =>
    read(
      find('openai', 'POST', '/v1/images/generations'),
      sse,
      repeat((at) => {
        const usage = { input_tokens: 1, output_tokens: 1, [long(at)]: 1 };
        return `data: ${JSON.stringify({ type: 'image_generation.completed', usage })}\n\n`;
      }, 300),
    ),
};

for (const [name, readBomb] of Object.entries(bombs)) {
  await readBomb();
  process.stdout.write(`${name} are read\n`);
}
