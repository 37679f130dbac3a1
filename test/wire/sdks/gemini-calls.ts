import { collect, type SdkCall } from './call.ts';
import { connectGemini } from './connect.ts';

interface GeminiAnswer {
  sdkHttpResponse?: { headers?: Record<string, string> };
}

/** The client puts the response's headers into each answer: they are looked at apart. */
function separateHeaders(answer: GeminiAnswer): Record<string, string> {
  const headers = answer.sdkHttpResponse?.headers ?? {};
  if (answer.sdkHttpResponse) answer.sdkHttpResponse = {};
  return headers;
}

/** Calls of the official Gemini client. */
export function listGeminiCalls(model: string) {
  const asked = { model, contents: 'How long does the warehouse move take?' };
  const whole: SdkCall = {
    name: 'gemini generateContent',
    provider: 'gemini',
    async run(target) {
      const answer = await connectGemini(target).models.generateContent(asked);
      return { headers: separateHeaders(answer), answer };
    },
  };
  const stream: SdkCall = {
    name: 'gemini streamGenerateContent',
    provider: 'gemini',
    async run(target) {
      const chunks = await collect(await connectGemini(target).models.generateContentStream(asked));
      const headers = chunks.map((chunk) => separateHeaders(chunk as GeminiAnswer));
      return { headers: headers[0] ?? {}, answer: chunks };
    },
  };
  return { generateContent: whole, generateContentStream: stream };
}
