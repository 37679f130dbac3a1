import type { AnswerEnd, Call, Measurement } from '../call.ts';
import type { MeteringParts } from '../create-metering.ts';
import { isForm } from '../request/parse-form-fields.ts';
import type { ResponseReading } from '../stream/index.ts';
import { readText, type TextSource } from '../text/index.ts';

/** The texts of a request and its answer; null without any. */
export interface CallTexts {
  request: TextSource | null;
  answer: TextSource | null;
}

export function findTexts({ head, body }: Call, reading: ResponseReading | null): CallTexts {
  const asked = { api: head.provider.api, method: head.method, path: head.path };
  const output = reading?.output() ?? null;
  const contentType = body?.form.contentType ?? '';
  const request = body && { of: 'request' as const, asked, bytes: body.bytes, contentType };
  return {
    // Most of a form is files, which neither the worker nor the estimate should get.
    request: request && isForm(contentType) ? readText(request, 'all') : request,
    answer: Buffer.isBuffer(output) ? { of: 'answer', asked, bytes: output } : output,
  };
}

/** Searches what the agent and the model wrote for PII, and says why where some of it was not searched. */
export async function scanCall(
  { scanner }: MeteringParts,
  { head, holder }: Call,
  { status }: AnswerEnd,
  texts: CallTexts,
): Promise<Pick<Measurement, 'piiTypes' | 'piiScan' | 'unscanned'>> {
  if (!scanner || (!head.hasBody && status === null)) return { piiTypes: [], piiScan: 'none', unscanned: null };
  if (!head.operation) return { piiTypes: [], piiScan: 'none', unscanned: 'unknown_path' };
  const found = [texts.request, texts.answer].filter((text) => text !== null);
  const { types, extent, missed } = await scanner.scan(found, holder);
  return { piiTypes: types, piiScan: extent, unscanned: missed };
}
