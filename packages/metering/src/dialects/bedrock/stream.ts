import type { Frame } from '../../json/frame.ts';
import { asObject, type JsonObject } from '../../json/members.ts';
import { FrameReader } from '../frame-reader.ts';
import type { StreamReading } from '../operation.ts';
import { readConverseDelta } from './text.ts';
import { readConverseFigures } from './usage.ts';

/** Events that say more than a part of a text. */
const telling = new Set(['messageStart', 'messageStop', 'metadata']);

/** What ends a stream before its time, such as `throttlingException`. */
export const isFault = (event: string): boolean => event.endsWith('Exception') || event === 'error';

/** Reads ConverseStream: figures come behind `messageStop`. */
export class ConverseStreamReader extends FrameReader {
  #metadata: JsonObject = {};
  #stopReason: unknown;

  constructor() {
    super(readConverseDelta);
  }

  push(sent: Frame): void {
    const [event, value] = nameEvent(sent);
    if (!telling.has(event) && !isFault(event)) {
      this.text.add(sent);
      return;
    }
    this.text.addBeside(sent.object());
    this.failed ||= isFault(event);
    if (event === 'metadata') this.#metadata = value;
    if (event === 'messageStop') this.#stopReason = value.stopReason;
    this.sawEnd ||= event === 'metadata';
  }

  override end(): StreamReading {
    const figures = { ...this.#metadata, stopReason: this.#stopReason };
    const { model, usage, serviceTier, unread, charge, ...notes } = readConverseFigures(figures);
    this.note({ unread, charge });
    this.model = model;
    this.usage = usage;
    this.serviceTier = serviceTier;
    return { ...super.end(), ...notes };
  }
}

/** The event that a frame is, and what it says. Nova's own puts it into a member of its name. */
function nameEvent(sent: Frame): [string, JsonObject] {
  if (sent.event !== '') return [sent.event, telling.has(sent.event) ? sent.object() : {}];
  const frame = sent.object();
  const names = Object.keys(frame);
  const name = names.find((each) => telling.has(each)) ?? names[0] ?? '';
  return [name, asObject(frame[name])];
}
