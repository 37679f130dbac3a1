import type { IncomingHttpHeaders } from 'node:http';
import type { ResponseReading } from '../answer/reading.ts';
import { type AnswerEnd, type Call, type Measurement, unmeasured } from '../call.ts';
import type { CallHead } from '../call-head.ts';
import { isForm } from '../json/form.ts';
import type { MeteringParts } from '../metering-parts.ts';
import { readText, type TextSource } from '../text-source.ts';

const models = /\/models(?:\/[^/:]+){0,3}\/?$/;
const media = /^(?:image|audio|video|font)\//i;

/** Whether neither agent nor model can have written any of it. */
function hasNoText(
  { hasBody, method, path }: CallHead,
  { status }: AnswerEnd,
  answerHeaders: IncomingHttpHeaders | null,
): boolean {
  if (hasBody) return false;
  if (status === null || status === 204 || status >= 300 || method === 'HEAD') return true;
  if (answerHeaders?.['content-length'] === '0' || media.test(answerHeaders?.['content-type'] ?? '')) return true;
  return method === 'GET' && models.test(path);
}

export interface CallTexts {
  request: TextSource | null;
  answer: TextSource | null;
}

export function findTexts({ head, body }: Call, reading: ResponseReading | null): CallTexts {
  const asked = { api: head.provider.api, method: head.method, path: head.path };
  const output = reading === null || reading.length === 0 ? null : reading.output();
  const contentType = body?.form.contentType ?? '';
  const request = body && { of: 'request' as const, asked, bytes: body.bytes, contentType, parsed: body.parsed };
  return {
    request: request && isForm(contentType) ? { ...readText(request, 'all'), of: 'request' } : request,
    answer: Buffer.isBuffer(output) ? { of: 'answer', asked, bytes: output } : output,
  };
}

type Scanned = Pick<Measurement, 'piiTypes' | 'piiFindings' | 'piiScan' | 'unscanned'>;

/** Searches what agent and model wrote for PII, and says why if some was not searched. */
export async function scanCall(
  { scanner }: MeteringParts,
  { head, holder }: Call,
  end: AnswerEnd,
  texts: CallTexts,
  answerHeaders: IncomingHttpHeaders | null,
): Promise<Scanned> {
  const { piiTypes, piiFindings, piiScan } = unmeasured;
  const unscanned = { piiTypes, piiFindings, piiScan, unscanned: null };
  if (!scanner || (!head.hasBody && end.status === null)) return unscanned;
  if (!head.operation)
    return hasNoText(head, end, answerHeaders) ? unscanned : { ...unscanned, unscanned: 'unknown_path' };
  const found = [texts.request, texts.answer].filter((text) => text !== null);
  const { types, findings, extent, missed } = await scanner.scan(found, holder);
  return { piiTypes: types, piiFindings: findings, piiScan: extent, unscanned: missed };
}
