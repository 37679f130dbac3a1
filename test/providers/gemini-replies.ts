import { type CannedAnswer, dataFrame, streamReply } from './canned-answer.ts';
import type { FakeReply } from './fake-provider.ts';

/** Gemini's prompt count includes what came from the cache; thoughts are counted beside the candidates. */
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

function toChunk(answer: CannedAnswer, text: string, finished: boolean, usageMetadata: object) {
  const content = { parts: [{ text }], role: 'model' };
  const candidate = { content, index: 0, ...(finished ? { finishReason: 'STOP' } : {}) };
  return { candidates: [candidate], usageMetadata, modelVersion: answer.model, responseId: 'gemini_1' };
}

/** `POST /v1beta/models/{model}:generateContent`. */
export function generateContentReply(answer: CannedAnswer): FakeReply {
  return { body: toChunk(answer, answer.words.join(''), true, toUsage(answer)) };
}

function toChunks(answer: CannedAnswer): object[] {
  const final = toUsage(answer);
  const { candidatesTokenCount: _, ...early } = { ...final, totalTokenCount: final.promptTokenCount };
  return answer.words.map((word, index) => {
    const finished = index === answer.words.length - 1;
    return toChunk(answer, word, finished, finished ? final : early);
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
