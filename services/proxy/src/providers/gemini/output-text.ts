import { collectText } from '../collect-text.ts';
import { asArray, asObject } from '../json-shapes.ts';

/** What the model wrote in an answer or a frame of one: words, thoughts that are shown, and function calls. */
export function readContentText(body: unknown): string {
  return asArray(asObject(body).candidates)
    .map((candidate) => collectText(asObject(asObject(candidate).content).parts))
    .join('');
}
