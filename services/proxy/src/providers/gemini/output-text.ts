import { collectText } from '../collect-text.ts';
import { asArray, asObject, asText } from '../json-shapes.ts';
import type { Write } from '../operation.ts';

/** Writes what the model wrote in an answer or a frame of one: words, thoughts that are shown, code and function calls. */
export function readContent(body: unknown, write: Write): void {
  asArray(asObject(body).candidates).forEach((item, at) => {
    const candidate = asObject(item);
    const channel = `${candidate.index ?? at}`;
    for (const part of asArray(asObject(candidate.content).parts)) {
      const { text, thought, ...others } = asObject(part);
      write(thought === true ? `${channel}.thought` : channel, asText(text) ?? '');
      // A function call comes whole, so each of its strings is a text of its own.
      const { parts } = collectText(others);
      if (parts.length > 0) write(`${channel}.call`, `${parts.join('\n')}\n`);
    }
  });
}
