import { asArray, asName, asObject, asText, type JsonObject } from '../../json/members.ts';
import { reasoningEnd } from '../../text/stream-text.ts';
import { collectText, collectToolText } from '../../text/strings.ts';
import type { Write } from '../../text/writing.ts';

export function readContent(body: unknown, write: Write): void {
  asArray(asObject(body).candidates).forEach((item, at) => {
    const candidate = asObject(item);
    const channel = asName(candidate.index ?? at);
    for (const value of asArray(asObject(candidate.content).parts)) {
      const part = asObject(value);
      if (typeof part.text !== 'string') writeCall(channel, part, write);
      else write(part.thought === true ? `${channel}${reasoningEnd}` : channel, part.text);
    }
  });
}

/** Calls, code and results come whole, so each of their strings is a text of its own; arguments may also come in pieces. */
function writeCall(channel: string, part: JsonObject, write: Write): void {
  const call = asObject(part.functionCall ?? part.toolCall);
  const result = asObject(part.functionResponse ?? part.toolResponse);
  const code = [asObject(part.executableCode).code, asObject(part.codeExecutionResult).output];
  const texts = [call.name, { args: call.args }, ...code, { response: result.response }];
  for (const text of collectText(...texts).parts) write(`${channel}.call`, `${text}\n`);
  for (const piece of asArray(call.partialArgs)) {
    const { jsonPath, stringValue } = asObject(piece);
    write(`${channel} ${asName(jsonPath)}`, asText(stringValue) ?? '');
  }
}

function textsOf({ text, content, summary, name, arguments: given, result }: JsonObject): unknown[] {
  return [text, content, summary, name, { arguments: given }, result];
}

export function readInteraction(body: unknown, write: Write): void {
  const { steps, outputs } = asObject(body);
  for (const item of asArray(steps ?? outputs)) {
    const step = asObject(item);
    if (step.type === 'user_input') continue;
    for (const text of collectText(...textsOf(step)).parts) write('', text);
  }
}

export function readInteractionDelta(frame: unknown, write: Write): void {
  const { index, delta, step } = asObject(frame);
  const { type, text, arguments: given, content, ...others } = asObject(delta);
  const channel = asName(index);
  write(
    type === 'thought_summary' ? `${channel}${reasoningEnd}` : channel,
    asText(text) ?? asText(given) ?? asText(asObject(content).text) ?? '',
  );
  const whole = [...collectToolText(asObject(given)).parts, ...collectText(...textsOf(others)).parts];
  const begun = asObject(step);
  const first = begun.type === 'user_input' ? [] : collectText(...textsOf(begun)).parts;
  for (const part of whole) write(`${channel}.call`, `${part}\n`);
  for (const part of first) write(`${channel}${begun.type === 'thought' ? reasoningEnd : '.call'}`, `${part}\n`);
}
