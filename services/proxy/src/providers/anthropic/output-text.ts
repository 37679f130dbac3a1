import { collectText } from '../collect-text.ts';
import { asArray, asObject, asText } from '../json-shapes.ts';
import type { Write, Writing } from '../operation.ts';

/** What the model wrote in a message: words, thinking, and the input of tools. */
export function readMessageText(body: unknown): Writing {
  return collectText(
    ...asArray(asObject(body).content).flatMap((item) => {
      const { thinking, text, name, input } = asObject(item);
      return [thinking, text, name, { input }];
    }),
  );
}

/** Writes what the model wrote in one event of a message's stream, each content block on its own. */
export function readMessageDelta(frame: unknown, write: Write): void {
  const { index, content_block: block, delta } = asObject(frame);
  const { text, thinking, partial_json: input } = asObject(delta);
  write(`${index}`, asText(text) ?? asText(thinking) ?? asText(input) ?? '');
  const { name, text: first } = asObject(block);
  write(`${index}.name`, asText(name) ?? '');
  write(`${index}`, asText(first) ?? '');
}
