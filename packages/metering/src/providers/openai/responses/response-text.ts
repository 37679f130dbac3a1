import { asArray, asName, asObject, asText, type JsonObject } from '../../../json/json-shapes.ts';
import { collectText } from '../../collect-text.ts';
import type { Write, Writing } from '../../operation.ts';

/** The text of an item without annotations and log probabilities, which repeat it. */
function readParts(parts: unknown): unknown[] {
  if (typeof parts === 'string') return [parts];
  return asArray(parts).map((part) => {
    const { text, refusal, transcript } = asObject(part);
    return [text, refusal, transcript];
  });
}

/** The text that comes as deltas when an item is streamed. */
function readWritten({ summary, content, arguments: given, input, code }: JsonObject): unknown[] {
  return [...readParts(summary), ...readParts(content), { arguments: given, input }, code];
}

/** The text that comes only with the whole item: a call's name, and questions to and answers of hosted tools. */
function readCalled(item: JsonObject): unknown[] {
  const { name, action, operation, queries, results, outputs, output, revised_prompt: prompt } = item;
  return [name, action, operation, queries, results, outputs, output, prompt];
}

/** Text of the model and of its hosted tools, from a whole response. */
export function readResponseText(body: unknown): Writing {
  const items = asArray(asObject(body).output).map(asObject);
  return collectText(items.flatMap((item) => [...readCalled(item), ...readWritten(item)]));
}

/** More items than any response has: what comes whole after them may be written twice. */
const maxItems = 10_000;

/**
 * Makes a function that writes the text of a response's events, one after the other: every kind of delta except sound, and
 * of whole items the text that came in no delta.
 */
export function createResponseEventReader(): (frame: unknown, write: Write) => void {
  const streamed = new Set<unknown>();
  return (frame, write) => {
    const { type, delta, item, output_index: output, content_index: content, summary_index: summary } = asObject(frame);
    if (typeof type !== 'string') return;
    if (type === 'response.output_item.done') {
      const whole = asObject(item);
      const texts = streamed.has(output) ? readCalled(whole) : [...readCalled(whole), ...readWritten(whole)];
      for (const [at, text] of collectText(...texts).parts.entries()) write(`item ${asName(output)} ${at}`, text);
    } else if (type.endsWith('.delta') && !type.endsWith('.audio.delta')) {
      if (streamed.size < maxItems) streamed.add(output);
      const channel = `${type} ${asName(output)} ${asName(content ?? summary)}`;
      // The delta of a shell is an object of its two outputs.
      for (const [kind, text] of Object.entries(asObject(delta))) write(`${channel} ${kind}`, asText(text) ?? '');
      write(channel, asText(delta) ?? '');
    }
  };
}
