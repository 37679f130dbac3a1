import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@agp/core/errors';
import { maxWhole } from '../answer/answer-gate.ts';
import { openAnswerPipe, type Passing } from '../answer/answer-pipe.ts';
import { type AnswerPipe, type MemoryShare, openMemoryShare, type ResponseReading } from '../answer/reading.ts';
import type { AnswerEnd, Call, Measurement } from '../call.ts';
import { readAnswerTier } from '../dialects/tier.ts';
import type { MeteringParts } from '../metering-parts.ts';
import { BillCalls } from './bill-calls.ts';
import { type Measured, measureUsage } from './measure-usage.ts';
import { findTexts, scanCall } from './scan-call.ts';

export interface CallMeter {
  /** The pipe that the answer passes; null if its operation is not known. */
  openPipe(headers: IncomingHttpHeaders, passing?: Passing): AnswerPipe | null;
  /** Counts what the call cost. @param end the provider's, if all of its answer came; else as for `measure` */
  price(end: AnswerEnd): Promise<void>;
  /** Measures usage and cost, and finds PII in the texts. Call once, when the call has ended. */
  measure(end: AnswerEnd): Promise<Measurement>;
  /** Gives back the memory that its answer took, or was to take. */
  release(): void;
}

export function openCallMeter(parts: MeteringParts, call: Call): CallMeter {
  const { operation } = call.head;
  // A file of results is too large to be kept: its calls are added up as they come. Only batches have one.
  const reported =
    operation?.answerFormat === 'lines' ? new BillCalls(parts, call, { models: [], serviceTier: 'batch' }) : null;
  const held = call.mayBeHeld ? openHeld(parts, call) : null;
  let pipe: AnswerPipe | null = null;
  let answerHeaders: IncomingHttpHeaders | null = null;
  let begun: ReturnType<typeof begin> | null = null;

  async function begin(end: AnswerEnd) {
    const reading = pipe ? await pipe.read() : null;
    if (reading) reading.serviceTier = readAnswerTier(reading.serviceTier, answerHeaders);
    const texts = findTexts(call, reading);
    return { reading, texts, usage: measureUsage({ parts, call, end, reading, texts, reported }).then(count) };
  }

  function count(usage: Measured): Measured | Promise<Measured> {
    return call.count?.(usage)?.then(() => usage) ?? usage;
  }

  return {
    openPipe(headers, passing = {}) {
      answerHeaders = headers;
      if (!operation) return null;
      const memory = openMemoryShare(parts.memory, call.holder);
      pipe = openAnswerPipe(operation, headers, {
        memory,
        held,
        searchAnswer: ({ config, search }, bytes, mayBeText) =>
          parts.searcher.search({ bytes, contentType: '', from: 'answer', mayBeText, config }, call.holder, search),
        ...passing,
        ...(reported && { onCall: reported.add }),
      });
      return pipe;
    },
    async price(end) {
      begun ??= begin(end);
      await (await begun).usage;
    },
    async measure(end) {
      try {
        begun ??= begin(end);
        const { reading, texts, usage: counted } = await begun;
        const [usage, pii] = await Promise.all([counted, scanCall(parts, call, end, texts, answerHeaders)]);
        return { ...usage, ...pii, called: reading?.called ?? [], outcome: judgeOutcome(end, reading) };
      } finally {
        pipe?.release();
        held?.release();
      }
    },
    release: () => held?.release(),
  };
}

/** What an answer that must be held takes before its provider is asked, in bytes: a frame, a text, or pictures; {@link maxWhole} must be free. */
const heldAtFirst = { frame: 64 * 1024, text: 512 * 1024, pictures: 3 * 1024 * 1024 };

function openHeld({ held }: MeteringParts, { holder, head, body }: Call): MemoryShare {
  const kind = head.operation?.bounds?.writes === 'pictures' ? 'pictures' : body?.stream ? 'frame' : 'text';
  const full = held.findFull(holder, maxWhole);
  if (full === 'agent')
    throw new ApiError('share_used_up', 'answers of this agent that a policy holds fill its share of memory');
  if (full !== null) throw new ApiError('proxy_overloaded');
  const share = openMemoryShare(held, holder);
  share.hold(heldAtFirst[kind]);
  return share;
}

/**
 * A stream may report an error although all came, and SDKs hang up on its last frame, as if the agent had left. A refusal by
 * status is a whole answer, even if it looks like a stream's error (Gemini).
 */
function judgeOutcome({ outcome, status }: AnswerEnd, reading: ResponseReading | null): AnswerEnd['outcome'] {
  if (outcome === 'completed' && reading?.failed && (status ?? 0) < 400) return 'failed';
  return outcome === 'aborted' && reading?.sawEnd ? 'completed' : outcome;
}
