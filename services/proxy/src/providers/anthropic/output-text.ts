import { collectText } from '../collect-text.ts';
import { asArray, asObject, asText } from '../json-shapes.ts';

/** What the model wrote in a message: words, thinking, and the input of tools. */
export function readMessageText(body: unknown): string {
  return asArray(asObject(body).content)
    .map((item) => {
      const block = asObject(item);
      return collectText(block.thinking, block.text, block.name, block.input);
    })
    .join('\n');
}

/** What the model wrote in one event of a message's stream. */
export function readMessageDelta(frame: unknown): string {
  const { content_block: block, delta } = asObject(frame);
  const { text, thinking, partial_json: input } = asObject(delta);
  return asText(text) ?? asText(thinking) ?? asText(input) ?? asText(asObject(block).name) ?? '';
}
