import type { Frame } from '../../json/frame.ts';
import { asArray, asObject, asText, type JsonObject, tryParse } from '../../json/members.ts';
import { findTrailingMembers } from '../../json/scan.ts';
import { readFigures } from '../figures.ts';
import { FrameReader } from '../frame-reader.ts';
import type { StreamReading, ToldRefusal } from '../operation.ts';
import { readContent } from './text.ts';
import {
  addGrounded,
  addGrounding,
  contentTable,
  isBlocked,
  newGrounding,
  readContentTier,
  toContentUsage,
} from './usage.ts';

/** Vertex AI puts a `usageMetadata` without any count on all frames but the last. */
const figures = /"(?:promptTokenCount|candidatesTokenCount)"\s*:/;
/** Figures that a last frame may leave out, each with the name that marks it. */
const partly = ['candidatesTokenCount', 'thoughtsTokenCount', 'cachedContentTokenCount'] as const;
/** Members that end the answer, or are billed separately. In text the quotes would be escaped; in a call's arguments not. */
const telling = /"(?:finishReason|blockReason|error|groundingMetadata)"\s*:/;

export class ContentStreamReader extends FrameReader {
  readonly #grounding = newGrounding();
  #lastFigures: Frame | null = null;
  /** The last frames that told the others. */
  readonly #told = new Map<string, Frame>();

  constructor() {
    super(readContent);
  }

  push(sent: Frame): void {
    const { data } = sent;
    this.text.add(sent);
    if (figures.test(data)) {
      this.#lastFigures = sent;
      for (const name of partly) if (data.includes(name)) this.#told.set(name, sent);
    }
    if (this.model !== null && !telling.test(data)) return;
    const frame = sent.object();
    this.model ??= asText(frame.modelVersion);
    this.failed ||= Boolean(frame.error);
    this.isUnbilled ||= isBlocked(frame, null);
    this.sawEnd ||= endsAnswer(frame);
    addGrounding(this.#grounding, frame);
  }

  override end(): StreamReading {
    const last = readMetadata(this.#lastFigures);
    for (const frame of new Set(this.#told.values())) if (frame !== this.#lastFigures) raise(last, readMetadata(frame));
    const { counts, notes } = readFigures(last, contentTable);
    const usage = toContentUsage(counts);
    this.usage = addGrounded(usage, this.#grounding, this.model);
    this.note(notes);
    this.serviceTier = readContentTier(last);
    this.isUnbilled &&= (usage?.completionTokens ?? 0) === 0;
    return super.end();
  }

  protected override readEnd(tail: Buffer): JsonObject {
    const text = tail.toString('latin1');
    const [, finishReason] = /"finishReason"\s*:\s*"([A-Z_]+)"/.exec(text) ?? [];
    const [, queries = '[]'] = /"webSearchQueries"\s*:\s*(\[[^\]]*\])/.exec(text) ?? [];
    const groundingMetadata = { webSearchQueries: tryParse(Buffer.from(queries, 'latin1')) };
    return { ...findTrailingMembers(tail), candidates: [{ finishReason, groundingMetadata }] };
  }

  protected override isUsageFinal(): boolean {
    return this.sawEnd;
  }
}

/** Takes what is missing, and of figures the highest: they only grow. */
function raise(last: Record<string, unknown>, earlier: JsonObject): void {
  for (const [name, value] of Object.entries(earlier)) {
    const known = last[name];
    if (known === undefined || (typeof value === 'number' && typeof known === 'number' && value > known))
      last[name] = value;
  }
}

const readMetadata = (frame: Frame | null): Record<string, unknown> => ({ ...asObject(frame?.object().usageMetadata) });

function endsAnswer({ candidates, promptFeedback }: JsonObject): boolean {
  if (asText(asObject(promptFeedback).blockReason) !== null) return true;
  return asArray(candidates).some((candidate) => asText(asObject(candidate).finishReason) !== null);
}

/** Names of `google.rpc.Code`, by the HTTP status that stands for each. */
const statusNames: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  504: 'DEADLINE_EXCEEDED',
};

export function formatRefusal({ message, status: code }: ToldRefusal): string {
  const status = statusNames[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE');
  return JSON.stringify({ error: { code, message, status } });
}

/**
 * The error twice: as a frame for `@google/genai` 3 and others, and as JSON behind it, since version 1 takes the frame for an
 * empty piece and the stream for a whole one.
 */
export function formatStreamError(refusal: ToldRefusal, _operation: unknown, asArray: boolean): string {
  const json = formatRefusal(refusal);
  return asArray ? `,\n${json}]` : `\n\ndata: ${json}\n\n${json}`;
}
