import type { IncomingHttpHeaders } from 'node:http';
import { openMemoryShare, type ResponseReading, type ResponseTap } from '../answer/reading.ts';
import { createResponseTap } from '../answer/tap.ts';
import type { AnswerEnd, Call, Measurement } from '../call.ts';
import { readAnswerTier } from '../dialects/tier.ts';
import type { MeteringParts } from '../metering-parts.ts';
import { BillCalls } from './bill-calls.ts';
import { measureUsage } from './measure-usage.ts';
import { findTexts, scanCall } from './scan-call.ts';

export interface CallMeter {
  openTap(headers: IncomingHttpHeaders): ResponseTap | null;
  /** Measures usage and cost, and finds PII in the texts. Call once, when the answer has ended. */
  measure(end: AnswerEnd): Promise<Measurement>;
}

export function openCallMeter(parts: MeteringParts, call: Call): CallMeter {
  const { operation } = call.head;
  // A file of results is too large to be kept: its calls are added up as they come. Only batches have one.
  const reported =
    operation?.answerFormat === 'lines' ? new BillCalls(parts, call, { models: [], serviceTier: 'batch' }) : null;
  let tap: ResponseTap | null = null;
  let answerHeaders: IncomingHttpHeaders | null = null;
  return {
    openTap(headers) {
      answerHeaders = headers;
      if (!operation) return null;
      const memory = openMemoryShare(parts.memory, call.holder);
      tap = createResponseTap(operation, headers, { memory, ...(reported && { onCall: reported.add }) });
      return tap;
    },
    async measure(end) {
      try {
        const reading = tap ? await tap.end() : null;
        if (reading) reading.serviceTier ??= readAnswerTier(answerHeaders);
        const texts = findTexts(call, reading);
        const [usage, pii] = await Promise.all([
          measureUsage(parts, call, end, { reading, texts, reported }),
          scanCall(parts, call, end, texts, answerHeaders),
        ]);
        return { ...usage, ...pii, called: reading?.called ?? [], outcome: judgeOutcome(end, reading) };
      } finally {
        tap?.release();
      }
    },
  };
}

/**
 * A stream may report an error although all came, and SDKs hang up on its last frame, as if the agent had left. A refusal by
 * status is a whole answer, even if it looks like a stream's error (Gemini).
 */
function judgeOutcome({ outcome, status }: AnswerEnd, reading: ResponseReading | null): AnswerEnd['outcome'] {
  if (outcome === 'completed' && reading?.failed && (status ?? 0) < 400) return 'failed';
  return outcome === 'aborted' && reading?.sawEnd ? 'completed' : outcome;
}
