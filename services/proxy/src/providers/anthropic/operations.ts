import { readCount } from '@agp/core/pricing';
import { collectText } from '../collect-text.ts';
import { asObject, asText } from '../json-shapes.ts';
import type { MatchPath } from '../match-operation.ts';
import type { Operation } from '../operation.ts';
import { MessageStreamReader } from './message-stream-reader.ts';
import { readMessageText } from './output-text.ts';
import { readMessageUsage } from './usage.ts';

const messages: Operation = {
  api: 'anthropic',
  name: 'messages',
  usageNeedsAsking: false,
  answerFormat: 'object',
  isFree: false,
  createStreamReader: () => new MessageStreamReader(),
  readRequest(value) {
    const body = asObject(value);
    return {
      requestedModel: asText(body.model),
      stream: body.stream === true,
      maxOutputTokens: readCount(body.max_tokens),
      toldUsage: {},
      inputText: () => collectText(body.system, body.messages, body.tools),
    };
  },
  readAnswer(body) {
    const answer = asObject(body);
    return {
      model: asText(answer.model),
      usage: readMessageUsage(answer.usage),
      serviceTier: asText(asObject(answer.usage).service_tier),
      outputText: () => readMessageText(body),
    };
  },
};

/** OpenAI has messages too, inside of threads: those have an id before them and are no model call. */
export const anthropicOperations: MatchPath = (path, method) =>
  method === 'POST' && (path === '/messages' || path.endsWith('/v1/messages')) ? messages : null;
