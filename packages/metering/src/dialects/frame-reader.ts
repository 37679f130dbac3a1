import type { Usage } from '@agp/catalogue';
import { Frame } from '../json/frame.ts';
import type { JsonObject } from '../json/members.ts';
import { findTrailingMembers } from '../json/scan.ts';
import { isNoReasoning, StreamText } from '../text/stream-text.ts';
import type { Write, Writing } from '../text/writing.ts';
import { type FigureNotes, joinUnread } from './figures.ts';
import type { ReportedCall, StreamReader, StreamReading } from './operation.ts';

/** What stands before the data; in text the quotes would be escaped. */
const first = /"(type|event_type|model|modelVersion|service_tier)"\s*:\s*"([\w.:/-]{1,256})"/g;

export abstract class FrameReader implements StreamReader {
  protected readonly text: StreamText;
  protected model: string | null = null;
  protected usage: Usage | null = null;
  protected calls: readonly ReportedCall[] | undefined;
  protected serviceTier: string | null = null;
  sawEnd = false;
  protected failed = false;
  protected isUnbilled = false;
  protected id: string | null = null;
  #notes: FigureNotes = {};

  constructor(readFrame: (frame: unknown, write: Write) => void) {
    this.text = new StreamText(readFrame);
  }

  abstract push(frame: Frame): void;

  pushEnds(event: string, head: string, tail: Buffer): void {
    const named = [...head.matchAll(first)].reverse().map(([, name = '', value]) => [name, value]);
    this.push(new Frame(event, JSON.stringify({ ...Object.fromEntries(named), ...this.readEnd(tail) })));
  }

  /** The members that the end of a frame shows. */
  protected readEnd(tail: Buffer): JsonObject {
    return findTrailingMembers(tail);
  }

  end(): StreamReading {
    const { model, usage, calls, serviceTier, sawEnd, failed, isUnbilled, id } = this;
    return {
      model,
      usage,
      ...(calls && { calls }),
      serviceTier,
      usageIsFinal: usage !== null && this.isUsageFinal(),
      sawEnd,
      failed,
      ...(isUnbilled && { isUnbilled }),
      ...(id !== null && { id }),
      ...this.#notes,
      outputText: () => this.readText(),
      besideText: () => this.text.readBeside(),
      ...(usage && usage.reasoningTokens > 0 && { uncountedText: () => this.readUncounted() }),
    };
  }

  /** The last charge counts, and all that was unread. */
  protected note({ charge = this.#notes.charge, unread, containers }: FigureNotes): void {
    this.#notes = { charge, unread: joinUnread(this.#notes.unread, unread), containers };
  }

  protected isUsageFinal(): boolean {
    return true;
  }

  protected readText(): Writing {
    return this.text.read();
  }

  /** Reasoning that is shown was counted with the usage, as a whole or as its summary. */
  protected readUncounted(): Writing {
    return this.text.read(isNoReasoning);
  }
}
