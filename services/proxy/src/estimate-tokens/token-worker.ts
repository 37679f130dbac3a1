import { parentPort } from 'node:worker_threads';
import { cutLongRuns } from './cut-long-runs.ts';

/** A text to count. */
export interface CountRequest {
  id: number;
  text: string;
  model: string;
}

/** Its tokens. */
export interface CountAnswer {
  id: number;
  tokens: number;
}

/** Models before gpt-4o; everything since, and other vendors' models by and large, is nearer to the newer encoding. */
const olderModels = /^(?:gpt-3|gpt-4(?!o|\.\d)|text-embedding-|davinci|babbage)/;

/** Tables are large, so each is loaded when a text needs it. */
function loadEncoding(model: string) {
  return olderModels.test(model)
    ? import('gpt-tokenizer/encoding/cl100k_base')
    : import('gpt-tokenizer/encoding/o200k_base');
}

/** What looks like a control token in a text is text. */
const plainText = { disallowedSpecial: new Set<string>() };

async function count({ id, text, model }: CountRequest): Promise<void> {
  const { countTokens } = await loadEncoding(model);
  let tokens = 0;
  for (const piece of cutLongRuns(text)) tokens += countTokens(piece, plainText);
  parentPort?.postMessage({ id, tokens } satisfies CountAnswer);
}

parentPort?.on('message', (request: CountRequest) => void count(request));
