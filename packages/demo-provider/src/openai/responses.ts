import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, eventFrame } from '../answer.ts';
import { type ComposedAnswer, composeAnswer } from '../compose-answer.ts';
import { contentField, textOf } from '../content.ts';
import { countConversationTokens } from '../count-tokens.ts';
import { parseRequest } from '../parse-request.ts';

const item = z.looseObject({ content: contentField.nullish() });
const request = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.number().int().min(1).nullish(),
});

type Request = z.infer<typeof request>;

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}

function toResponse(asked: Request, answer: ComposedAnswer, inputTokens: number) {
  const text = { type: 'output_text', text: answer.text, annotations: [], logprobs: [] };
  const status = answer.truncated ? 'incomplete' : 'completed';
  return {
    id: newId('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status,
    error: null,
    incomplete_details: answer.truncated ? { reason: 'max_output_tokens' } : null,
    instructions: asked.instructions ?? null,
    max_output_tokens: asked.max_output_tokens ?? null,
    model: asked.model,
    output: [{ id: newId('msg'), type: 'message', status, role: 'assistant', content: [text] }],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: answer.tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + answer.tokens,
    },
    metadata: {},
  };
}

function* toFrames(response: ReturnType<typeof toResponse>, answer: ComposedAnswer): Generator<string> {
  let sequence = 0;
  const toFrame = (type: string, members: object) => {
    const frame = eventFrame({ type, ...members, sequence_number: sequence });
    sequence += 1;
    return frame;
  };
  const running = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const [message] = response.output;
  const at = { item_id: message?.id, output_index: 0, content_index: 0 };
  const part = message?.content[0];
  yield toFrame('response.created', { response: running });
  yield toFrame('response.in_progress', { response: running });
  const started = { ...message, status: 'in_progress', content: [] };
  yield toFrame('response.output_item.added', { output_index: 0, item: started });
  yield toFrame('response.content_part.added', { ...at, part: { ...part, text: '' } });
  for (const word of answer.words) yield toFrame('response.output_text.delta', { ...at, delta: word, logprobs: [] });
  yield toFrame('response.output_text.done', { ...at, text: answer.text, logprobs: [] });
  yield toFrame('response.content_part.done', { ...at, part });
  yield toFrame('response.output_item.done', { output_index: 0, item: message });
  yield toFrame(`response.${response.status}`, { response });
}

/** `POST /v1/responses`. */
export function answerResponse(body: unknown): Answer {
  const asked = parseRequest(request, body);
  const turns = typeof asked.input === 'string' ? [asked.input] : asked.input.map((each) => textOf(each.content));
  const answer = composeAnswer(asked.model, turns.at(-1) ?? '', asked.max_output_tokens ?? undefined);
  const texts = asked.instructions ? [asked.instructions, ...turns] : turns;
  const response = toResponse(asked, answer, countConversationTokens(texts) + 3);
  return asked.stream ? { frames: toFrames(response, answer) } : { status: 200, json: response };
}
