import type { ResponseReading } from '@agp/metering';
import type { ProxyContext } from '../context.ts';
import type { AdmittedRequest, Answer, Metering } from '../journey.ts';
import { measureUsage } from '../metering/measure-usage.ts';
import { findTexts, scanRequest } from '../metering/scan-request.ts';

/** Reads what the answer said: what the call used and cost, and what PII stands in the texts. The agent has it all by now. */
export async function meter(context: ProxyContext, request: AdmittedRequest, answer: Answer): Promise<Metering> {
  try {
    const reading = answer.tap ? await answer.tap.end() : null;
    const texts = findTexts(request, reading);
    const [usage, pii] = await Promise.all([
      measureUsage(context, request, answer, reading, texts),
      scanRequest(context, request, answer, texts),
    ]);
    return { ...usage, ...pii, outcome: judgeOutcome(answer, reading) };
  } finally {
    answer.tap?.release();
  }
}

/**
 * A stream may report an error although all its bytes came; and SDKs hang up on a stream's last frame, so that a whole
 * answer may look as if the agent had left. A refusal by status is a whole answer, also where its body looks like a
 * stream's error, as Gemini's does.
 */
function judgeOutcome({ outcome, status }: Answer, reading: ResponseReading | null): Answer['outcome'] {
  if (outcome === 'completed' && reading?.failed && (status ?? 0) < 400) return 'failed';
  return outcome === 'aborted' && reading?.sawEnd ? 'completed' : outcome;
}
