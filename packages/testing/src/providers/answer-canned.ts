import { type CannedAnswer, cannedAnswer } from './canned-answer.ts';
import type { FakeReply, Handler } from './fake-provider.ts';
import * as replies from './replies.ts';

interface RequestBody {
  model?: string;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
}

function answerGemini(target: string, answer: CannedAnswer): FakeReply | undefined {
  const [, model, method] = /\/models\/([^/:?]+):(\w+)/.exec(target) ?? [];
  if (!model) return undefined;
  const named = { ...answer, model };
  if (method === 'generateContent') return replies.generateContentReply(named);
  if (method !== 'streamGenerateContent') return undefined;
  return target.includes('alt=sse')
    ? replies.streamGenerateContentReply(named)
    : replies.streamGenerateContentArrayReply(named);
}

const ofBedrock: Readonly<Record<string, (answer: CannedAnswer) => FakeReply>> = {
  converse: replies.converseReply,
  'converse-stream': replies.converseStreamReply,
  invoke: replies.invokeReply,
  'invoke-with-response-stream': replies.invokeStreamReply,
};

function answerBedrock(target: string, answer: CannedAnswer): FakeReply | undefined {
  const [, model = '', verb = ''] = /\/model\/([^/]+)\/([\w-]+)/.exec(target) ?? [];
  return ofBedrock[verb]?.({ ...answer, model: decodeURIComponent(model) });
}

function answerByBody(path: string, body: RequestBody, answer: CannedAnswer): FakeReply | undefined {
  const named = { ...answer, model: body.model ?? answer.model };
  const includeUsage = body.stream_options?.include_usage === true;
  if (path.endsWith('/chat/completions'))
    return body.stream ? replies.chatStreamReply(named, includeUsage) : replies.chatReply(named);
  if (path.endsWith('/completions'))
    return body.stream ? replies.completionStreamReply(named, includeUsage) : replies.completionReply(named);
  if (path.endsWith('/responses'))
    return body.stream ? replies.responsesStreamReply(named) : replies.responsesReply(named);
  if (path.endsWith('/embeddings')) return replies.embeddingsReply(named);
  if (path.endsWith('/messages')) return body.stream ? replies.messageStreamReply(named) : replies.messageReply(named);
  return undefined;
}

/**
 * Answers every endpoint of the four APIs, streamed if the request asks for it, with these figures and the
 * model's name as it was asked for. Anything else gets a 404 in OpenAI's shape.
 */
export function answerCanned(figures: Partial<CannedAnswer> = {}): Handler {
  const answer = { ...cannedAnswer, ...figures };
  return ({ target, body }) => {
    const [path = ''] = target.split('?');
    const reply =
      answerGemini(target, answer) ??
      answerBedrock(target, answer) ??
      (body.length > 0 ? answerByBody(path, JSON.parse(body.toString('utf8')), answer) : undefined);
    return reply ?? { status: 404, body: { error: { message: 'Unknown path.', type: 'invalid_request_error' } } };
  };
}
