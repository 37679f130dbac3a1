import * as wire from '@agp/demo-provider/wire';
import { type CannedAnswer, streamReply } from './canned-answer.ts';
import type { FakeReply } from './fake-provider.ts';

const openai = { 'x-request-id': 'req_openai_1' };
const anthropic = { 'request-id': 'req_anthropic_1' };

export const chatReply = (answer: CannedAnswer): FakeReply => ({ headers: openai, body: wire.writeChat(answer) });

/** With `includeUsage` every chunk has the member `usage`, null but in an extra last one. */
export const chatStreamReply = (answer: CannedAnswer, includeUsage: boolean): FakeReply =>
  streamReply(wire.writeChatFrames(answer, includeUsage), answer.pauseMs, openai);

export const completionReply = (answer: CannedAnswer): FakeReply => ({
  headers: openai,
  body: wire.writeCompletion(answer),
});

/** With its usage as {@link chatStreamReply} has it. */
export const completionStreamReply = (answer: CannedAnswer, includeUsage: boolean): FakeReply =>
  streamReply(wire.writeCompletionFrames(answer, includeUsage), answer.pauseMs, openai);

export const responsesReply = (answer: CannedAnswer): FakeReply => ({
  headers: openai,
  body: wire.writeResponse(answer),
});

export const responsesStreamReply = (answer: CannedAnswer): FakeReply =>
  streamReply(wire.writeResponseFrames(answer), answer.pauseMs, openai);

/** One small vector, in the base64 form that the official clients ask for. */
export function embeddingsReply({ model, input }: CannedAnswer): FakeReply {
  const embedding = Buffer.from(Float32Array.of(0.6, 0.8).buffer).toString('base64');
  const data = [{ object: 'embedding', index: 0, embedding }];
  return {
    headers: openai,
    body: { object: 'list', data, model, usage: { prompt_tokens: input, total_tokens: input } },
  };
}

export const messageReply = (answer: CannedAnswer): FakeReply => ({
  headers: anthropic,
  body: wire.writeMessage(answer),
});

export const messageStreamReply = (answer: CannedAnswer): FakeReply =>
  streamReply(wire.writeMessageFrames(answer), answer.pauseMs, anthropic);

const awsStream = { 'content-type': 'application/vnd.amazon.eventstream' };

export const converseReply = (answer: CannedAnswer): FakeReply => ({ body: wire.writeConverse(answer) });

export const converseStreamReply = (answer: CannedAnswer): FakeReply =>
  streamReply(wire.writeConverseFrames(answer), answer.pauseMs, awsStream);

export const invokeReply = (answer: CannedAnswer): FakeReply => ({ body: wire.writeInvoked(answer) });

export const invokeStreamReply = (answer: CannedAnswer): FakeReply =>
  streamReply(wire.writeInvokedFrames(answer), answer.pauseMs, awsStream);

export const generateContentReply = (answer: CannedAnswer): FakeReply => ({ body: wire.writeContent(answer) });

export const streamGenerateContentReply = (answer: CannedAnswer): FakeReply =>
  streamReply(wire.writeContentFrames(answer), answer.pauseMs, {});

/** Without `alt=sse`: one JSON array, delivered element by element. */
export const streamGenerateContentArrayReply = (answer: CannedAnswer): FakeReply => ({
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body: { steps: wire.writeContentPieces(answer) },
});
