import * as newerEncoding from 'gpt-tokenizer/encoding/o200k_base';
import { answerQuestions } from '../text/answer-questions.ts';
import { readText, type TextSource } from '../text/text-source.ts';
import { cutLongRuns } from './cut-long-runs.ts';

/** A text to count. */
export interface CountRequest {
  source: TextSource;
  model: string;
  /** Of a longer text this many UTF-16 units are counted, and the rest is taken to be like them. */
  maxCounted: number;
}

/** Models before gpt-4o; everything since, and other vendors' models by and large, is nearer to the newer encoding. */
const olderModels = /^(?:gpt-3|gpt-4(?!o|\.\d)|text-embedding-|davinci|babbage)/;

/** Tables are large, so the one that is seldom needed is loaded by the first text that does. */
async function loadEncoding(model: string) {
  return olderModels.test(model) ? import('gpt-tokenizer/encoding/cl100k_base') : newerEncoding;
}

/** What looks like a control token in a text is text. */
const plainText = { disallowedSpecial: new Set<string>() };

/** Beginning and end, since a conversation's two ends are the least alike. */
function sample(text: string, size: number): string {
  return text.slice(0, size / 2) + text.slice(-size / 2);
}

async function count({ source, model, maxCounted }: CountRequest): Promise<number> {
  const { countTokens } = await loadEncoding(model);
  const text = readText(source).parts.join('\n');
  const counted = text.length > maxCounted ? sample(text, maxCounted) : text;
  let tokens = 0;
  for (const piece of cutLongRuns(counted)) tokens += countTokens(piece, plainText);
  return text === '' ? 0 : Math.ceil((tokens * text.length) / counted.length);
}

answerQuestions(count);
