import { parseJson } from '@agp/core/json';
import { dataFrame, type WireAnswer } from './wire-answer.ts';

/** Gemini's prompt count includes what came from the cache; thoughts are counted separately from the candidates. */
function toUsage(answer: WireAnswer) {
  const prompt = answer.input + answer.cacheRead;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: answer.output,
    totalTokenCount: prompt + answer.output + answer.reasoning,
    cachedContentTokenCount: answer.cacheRead,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    ...(answer.reasoning > 0 ? { thoughtsTokenCount: answer.reasoning } : {}),
  };
}

/** The parts of an answer: text, and calls of functions, which Gemini never splits. */
function toParts({ words, toolCalls }: WireAnswer): object[] {
  const called = toolCalls.map(({ id, name, arguments: text }) => ({
    functionCall: { id, name, args: parseJson(text) as object },
  }));
  const parts = [...words.map((text) => ({ text })), ...called];
  return parts.length > 0 ? parts : [{ text: '' }];
}

function toChunk(answer: WireAnswer, parts: object[], finished: boolean, usageMetadata: object) {
  const content = { parts, role: 'model' };
  const candidate = { content, index: 0, ...(finished ? { finishReason: answer.isCut ? 'MAX_TOKENS' : 'STOP' } : {}) };
  return { candidates: [candidate], usageMetadata, modelVersion: answer.model, responseId: `gemini_${answer.id}` };
}

export function writeContent(answer: WireAnswer): object {
  const parts = toParts({ ...answer, words: answer.words.length > 0 ? [answer.words.join('')] : [] });
  return toChunk(answer, parts, true, toUsage(answer));
}

function toChunks(answer: WireAnswer): object[] {
  const final = toUsage(answer);
  const { candidatesTokenCount: _, ...early } = { ...final, totalTokenCount: final.promptTokenCount };
  return toParts(answer).map((part, index, parts) => {
    const finished = index === parts.length - 1;
    return toChunk(answer, [part], finished, finished ? final : early);
  });
}

/** `...:streamGenerateContent?alt=sse`: figures in every chunk, those of the last are the total. */
export const writeContentFrames = (answer: WireAnswer): string[] => toChunks(answer).map(dataFrame);

/** The same without `alt=sse`: one JSON array in pieces. */
export function writeContentPieces(answer: WireAnswer): string[] {
  const chunks = toChunks(answer).map((chunk, index) => `${index === 0 ? '[' : ',\r\n'}${JSON.stringify(chunk)}`);
  return [...chunks, ']'];
}
