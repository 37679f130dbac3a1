import { type CannedAnswer, dataFrame, streamReply } from './canned-answer.ts';
import type { FakeReply } from './fake-provider.ts';

/** Gemini's prompt count includes what came from the cache; thoughts are counted separately from the candidates. */
function toUsage(answer: CannedAnswer) {
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
function toParts({ words, toolCalls }: CannedAnswer): object[] {
  const called = toolCalls.map(({ id, name, arguments: text }) => ({
    functionCall: { id, name, args: JSON.parse(text) as object },
  }));
  return [...words.map((text) => ({ text })), ...called];
}

function toChunk(answer: CannedAnswer, parts: object[], finished: boolean, usageMetadata: object) {
  const content = { parts, role: 'model' };
  const candidate = { content, index: 0, ...(finished ? { finishReason: 'STOP' } : {}) };
  return { candidates: [candidate], usageMetadata, modelVersion: answer.model, responseId: 'gemini_1' };
}

/** `POST /v1beta/models/{model}:generateContent`. */
export function generateContentReply(answer: CannedAnswer): FakeReply {
  const parts = toParts({ ...answer, words: answer.words.length > 0 ? [answer.words.join('')] : [] });
  return { body: toChunk(answer, parts, true, toUsage(answer)) };
}

function toChunks(answer: CannedAnswer): object[] {
  const final = toUsage(answer);
  const { candidatesTokenCount: _, ...early } = { ...final, totalTokenCount: final.promptTokenCount };
  return toParts(answer).map((part, index, parts) => {
    const finished = index === parts.length - 1;
    return toChunk(answer, [part], finished, finished ? final : early);
  });
}

/** `...:streamGenerateContent?alt=sse`: figures in every chunk, those of the last are the total. */
export function streamGenerateContentReply(answer: CannedAnswer): FakeReply {
  return streamReply(toChunks(answer).map(dataFrame), answer.pauseMs, {});
}

/** The same without `alt=sse`: one JSON array, delivered element by element. */
export function streamGenerateContentArrayReply(answer: CannedAnswer): FakeReply {
  const chunks = toChunks(answer).map((chunk, index) => `${index === 0 ? '[' : ',\r\n'}${JSON.stringify(chunk)}`);
  return { headers: { 'content-type': 'application/json; charset=UTF-8' }, body: { steps: [...chunks, ']'] } };
}
