import { collectText } from '../collect-text.ts';
import { asArray, asObject, asText } from '../json-shapes.ts';

/** What the model wrote in a chat completion or a frame of one: words, refusals, reasoning where it is shown, tool calls. */
export function readChatText(body: unknown): string {
  return asArray(asObject(body).choices)
    .map((item) => {
      const choice = asObject(item);
      const message = asObject(choice.message ?? choice.delta);
      const calls = asArray(message.tool_calls).map((call) => asObject(call).function);
      return collectText(
        message.reasoning_content,
        message.content,
        message.refusal,
        asObject(message.audio).transcript,
        calls,
        message.function_call,
      );
    })
    .join('');
}

/** What the model wrote in a legacy completion or a frame of one. */
export function readCompletionText(body: unknown): string {
  return asArray(asObject(body).choices)
    .map((choice) => asText(asObject(choice).text) ?? '')
    .join('');
}

/** What the model wrote in an answer of the Responses API. */
export function readResponseText(body: unknown): string {
  return asArray(asObject(body).output)
    .map((item) => {
      const { content, summary, name, arguments: given, input, code } = asObject(item);
      return collectText(summary, content, name, given, input, code);
    })
    .join('\n');
}

/** What the model wrote in one event of the Responses API: every kind of delta but sound. */
export function readResponseDelta(frame: unknown): string {
  const { type, delta } = asObject(frame);
  const isText = typeof type === 'string' && type.endsWith('.delta') && !type.endsWith('.audio.delta');
  return isText ? (asText(delta) ?? '') : '';
}
