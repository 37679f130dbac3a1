import { type CannedAnswer, type CannedToolCall, cannedAnswer } from '@agp/testing/providers';
import { countTokens, createRandom, emitPieces, type Piece, type Random } from './emit-tokens.ts';
import { type Kind, kinds, system } from './kinds.ts';

/**
 * How a call ends: whole; the agent leaves within the stream; or the provider refuses, does not answer, breaks off with
 * an error, or cuts the connection within its answer.
 */
export type Ending = 'completed' | 'aborted' | 'refused' | 'unanswered' | 'error event' | 'cut';

/** What is to happen in one call, known beforehand to the agent and to the provider. */
export interface PlannedCall {
  id: string;
  kind: Kind;
  model: string;
  ending: Ending;
  body: object;
  answer: CannedAnswer;
  /** What the model emits, in order. */
  pieces: Piece[];
  /** After how many of them the call ends, where it is not whole. */
  stopAfter: number;
}

/** Of a hundred calls 10 are left by the agent and 5 fail; only streams can end in their middle. */
function chooseEnding(index: number, streams: boolean): Ending {
  const place = index % 20;
  if (place < 2 && streams) return 'aborted';
  if (place !== 2) return 'completed';
  const failures: Ending[] = streams ? ['error event', 'cut', 'refused'] : ['refused', 'unanswered'];
  return failures[Math.floor(index / 20) % failures.length] as Ending;
}

/** Streams come first among the kinds where a call is to end within one. */
function chooseKind(index: number): Kind {
  const place = index % 20;
  const candidates = place < 2 ? kinds.filter(({ streams }) => streams) : kinds;
  return candidates[Math.floor(index / 20 + place * 3) % candidates.length] as Kind;
}

function planToolCalls(random: Random, model: string): CannedToolCall[] {
  return Array.from({ length: 1 + random(2) }, (_, index) => {
    const query = emitPieces(random, model, 10)
      .map(({ text }) => text)
      .join('');
    return { id: `call_${index}`, name: 'search_ledger', arguments: JSON.stringify({ query, limit: 20 }) };
  });
}

/**
 * What only the last frame of an API tells, nobody can know of a call that was cut: OpenAI's cached input and hidden
 * reasoning. Such calls have neither here. Anthropic and Gemini tell theirs as the stream begins or goes on.
 */
function planFigures(random: Random, { api, writes }: Kind, model: string, ending: Ending, inputTokens: number) {
  const isLong = model === 'gemini-2.5-pro' && random(20) === 0;
  const prompt = isLong ? 150_000 + random(150_000) : inputTokens;
  const isTold = ending === 'completed' || api !== 'openai';
  const isCached = writes && isTold && model !== 'gpt-3.5-turbo-instruct' && random(2) === 0;
  const cacheRead = isCached ? random(Math.floor(prompt / 2)) : 0;
  const isWritten = isCached && api === 'anthropic';
  const cacheWrite5m = isWritten ? random(Math.floor(prompt / 4)) : 0;
  const cacheWrite1h = isWritten ? random(Math.floor(prompt / 8)) : 0;
  const reasons = writes && (ending === 'completed' || api === 'gemini') && model !== 'gpt-3.5-turbo-instruct';
  return {
    input: prompt - cacheRead - cacheWrite5m - cacheWrite1h,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h,
    reasoning: reasons && random(3) === 0 ? 50 + random(400) : 0,
  };
}

/** What a chat's template adds to its texts: a few tokens for each of two messages, and for the answer's beginning. */
const templateTokens = 11;

function planCall(random: Random, index: number): PlannedCall {
  const kind = chooseKind(index);
  const model = kind.models[random(kind.models.length)] as string;
  const ending = chooseEnding(index, kind.streams);
  const asked = emitPieces(random, model, 60 + random(300)).map(({ text }) => text);
  const text = `Call ${index}. ${asked.join('')}`;
  const inputTokens = countTokens(model, text) + (kind.tools ? countTokens(model, system) + templateTokens : 0);
  const pieces = kind.writes ? emitPieces(random, model, 40 + random(80)) : [];
  const toolCalls = kind.tools && random(4) === 0 ? planToolCalls(random, model) : [];
  const output =
    pieces.reduce((sum, { tokens }) => sum + tokens, 0) +
    toolCalls.reduce((sum, call) => sum + countTokens(model, call.name + call.arguments), 0);
  const figures = planFigures(random, kind, model, ending, inputTokens);
  const words = pieces.map((piece) => piece.text);
  const answer = { ...cannedAnswer, model, words, toolCalls, output, ...figures };
  const stopAfter = Math.ceil(pieces.length * (0.2 + random(50) / 100));
  // What is read and does not stand in the request must be named there.
  const isLong = figures.input + figures.cacheRead > 100_000;
  const body = { ...kind.body(model, text), ...(isLong && { cachedContent: 'cachedContents/ledgers' }) };
  return { id: `call-${index}`, kind, model, ending, body, answer, pieces, stopAfter };
}

/** The same calls each time. */
export function planCalls(count: number): PlannedCall[] {
  const random = createRandom(42);
  return Array.from({ length: count }, (_, index) => planCall(random, index));
}
