import { asArray, asObject, asText, type JsonObject } from '../../../json/json-shapes.ts';
import { collectText } from '../../collect-text.ts';
import type { Write, Writing } from '../../operation.ts';

/** What was said in an item: without annotations and the tokens' probabilities, which repeat it. */
function readParts(parts: unknown): unknown[] {
  if (typeof parts === 'string') return [parts];
  return asArray(parts).map((part) => {
    const { text, refusal, transcript } = asObject(part);
    return [text, refusal, transcript];
  });
}

/** What comes as deltas, where an item is streamed. */
function readWritten({ summary, content, arguments: given, input, code }: JsonObject): unknown[] {
  return [...readParts(summary), ...readParts(content), { arguments: given, input }, code];
}

/** What comes with the whole item alone: a call's name, and what hosted tools were asked and answered. */
function readCalled(item: JsonObject): unknown[] {
  const { name, action, operation, queries, results, outputs, output, revised_prompt: prompt } = item;
  return [name, action, operation, queries, results, outputs, output, prompt];
}

/** What the model wrote in an answer of the Responses API, and what its hosted tools did. */
export function readResponseText(body: unknown): Writing {
  const items = asArray(asObject(body).output).map(asObject);
  return collectText(items.flatMap((item) => [...readCalled(item), ...readWritten(item)]));
}

/** More items than any response has: what comes whole after them may be written twice. */
const maxItems = 10_000;

/**
 * Makes what writes the text of a response's events, one after the other: every kind of delta but sound, and of whole
 * items what came in no delta.
 */
export function createResponseEventReader(): (frame: unknown, write: Write) => void {
  const streamed = new Set<unknown>();
  return (frame, write) => {
    const { type, delta, item, output_index: output, content_index: content, summary_index: summary } = asObject(frame);
    if (typeof type !== 'string') return;
    if (type === 'response.output_item.done') {
      const whole = asObject(item);
      const texts = streamed.has(output) ? readCalled(whole) : [...readCalled(whole), ...readWritten(whole)];
      for (const [at, text] of collectText(...texts).parts.entries()) write(`item ${output} ${at}`, text);
    } else if (type.endsWith('.delta') && !type.endsWith('.audio.delta')) {
      if (streamed.size < maxItems) streamed.add(output);
      const channel = `${type} ${output} ${content ?? summary}`;
      // What a shell printed comes as an object of its two outputs.
      for (const [kind, text] of Object.entries(asObject(delta))) write(`${channel} ${kind}`, asText(text) ?? '');
      write(channel, asText(delta) ?? '');
    }
  };
}
