import type { MissedReason, ResponseReading } from '@agp/metering';
import { isForm, readText, type TextSource } from '@agp/metering';
import type { ProxyContext } from '../context.ts';
import { toHolder } from '../head/to-holder.ts';
import type { AdmittedRequest, Answer, Metering } from '../journey.ts';

/** Why a text was not scanned; `unknown_path`: on a path that we do not know we cannot tell text from data. */
export type UnscannedReason = MissedReason | 'unknown_path';

/** A request of which some text was not scanned. */
export interface UnscannedText {
  eventId: string;
  reason: UnscannedReason;
}

/** Where the texts of a call are to be had; null where there are none. */
export interface CallTexts {
  request: TextSource | null;
  answer: TextSource | null;
}

/** The texts of a request and its answer. */
export function findTexts({ head, body }: AdmittedRequest, reading: ResponseReading | null): CallTexts {
  const asked = { api: head.provider.api, method: head.method, path: head.path };
  const sent = body.inspected;
  const output = reading?.output() ?? null;
  const request = sent && { of: 'request' as const, asked, bytes: sent.bytes, contentType: sent.contentType };
  return {
    // A form is files for the most part, which no worker should be sent and no estimate go by.
    request: request && isForm(request.contentType) ? readText(request, 'all') : request,
    answer: Buffer.isBuffer(output) ? { of: 'answer', asked, bytes: output } : output,
  };
}

/**
 * Searches what the agent and the model wrote for PII, once the answer is out. What was not scanned is counted and
 * logged, so that "nothing found" always means that somebody looked.
 */
export async function scanRequest(
  context: ProxyContext,
  request: AdmittedRequest,
  answer: Answer,
  { request: sent, answer: written }: CallTexts,
): Promise<Pick<Metering, 'piiTypes' | 'piiScan'>> {
  const { head, agent, body } = request;
  const hasText = body.toProvider !== null || answer.sha256 !== null;
  if (!context.piiScanner || !hasText) return { piiTypes: [], piiScan: 'none' };
  const { types, extent, missed } = head.operation
    ? await context.piiScanner.scan(
        [sent, written].filter((text) => text !== null),
        toHolder(agent, head),
      )
    : { types: [], extent: 'none' as const, missed: 'unknown_path' as const };
  if (missed !== null) {
    context.metrics.unscanned.inc({ reason: missed });
    context.logUnscanned({ eventId: head.eventId, reason: missed });
  }
  return { piiTypes: types, piiScan: extent };
}
