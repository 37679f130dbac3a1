import * as newerEncoding from 'gpt-tokenizer/encoding/o200k_base';
import { answerQuestions } from '../text/offload.ts';
import { readText, type TextSource } from '../text-source.ts';

/** Tokenizers take time in the square of an unbroken run's length, so no longer one is given to them. */
const maxRun = 500;

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

/** Cuts a text into pieces in which no run of white space or of other characters is longer than 500 units. */
export function cutLongRuns(text: string): string[] {
  const pieces: string[] = [];
  let pieceStart = 0;
  let runStart = 0;
  let runIsSpace = false;
  for (let i = 0; i < text.length; i++) {
    const space = isSpace(text.charCodeAt(i));
    if (space !== runIsSpace) {
      runIsSpace = space;
      runStart = i;
    } else if (i - runStart === maxRun) {
      pieces.push(text.slice(pieceStart, i));
      pieceStart = i;
      runStart = i;
    }
  }
  if (pieceStart < text.length) pieces.push(text.slice(pieceStart));
  return pieces;
}

export interface CountRequest {
  source: TextSource;
  model: string;
  maxCounted: number;
}

/** Models before gpt-4o; everything since, and other vendors' models by and large, is nearer to the newer encoding. */
const olderModels = /^(?:gpt-3|gpt-4(?!o|\.\d)|text-embedding-|davinci|babbage)/;

/** Tables are large, so the one that is seldom needed is loaded by the first text that does. */
async function loadEncoding(model: string) {
  return olderModels.test(model) ? import('gpt-tokenizer/encoding/cl100k_base') : newerEncoding;
}

/** Control tokens in a text are counted as text. */
const plainText = { disallowedSpecial: new Set<string>() };

/** A long text is counted by this many pieces from all over it. */
const samples = 64;

/** At random places, so that no text can be cheap where it is sampled and dear elsewhere. */
function* sample(text: string, size: number): Generator<string> {
  const share = text.length / samples;
  const length = size / samples;
  for (let index = 0; index < samples; index++) {
    const start = Math.max(0, Math.floor((index + Math.random()) * share - length / 2));
    yield text.slice(start, start + length);
  }
}

async function count({ source, model, maxCounted }: CountRequest): Promise<number> {
  const { countTokens } = await loadEncoding(model);
  const text = readText(source, 'model').parts.join('\n');
  let tokens = 0;
  let counted = 0;
  for (const part of text.length > maxCounted ? sample(text, maxCounted) : [text]) {
    counted += part.length;
    for (const piece of cutLongRuns(part)) tokens += countTokens(piece, plainText);
  }
  return counted === 0 ? 0 : Math.ceil((tokens * text.length) / counted);
}

answerQuestions(count);
