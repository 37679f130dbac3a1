import type { Frame } from '../../json/frame.ts';
import { asObject, asText, type JsonObject } from '../../json/members.ts';
import { FrameReader } from '../frame-reader.ts';
import type { StreamReading, ToldRefusal } from '../operation.ts';
import { readMessageDelta } from './text.ts';
import { findUnreadOfMessage, mergeMessageUsage, readMessageFigures } from './usage.ts';

const output = /"content_block_(?:start|delta)"/;

/** The events that say more than a few words. Inside of text the quotes would be escaped. */
const telling = /"(?:message_start|message_delta|message_stop|error|fallback)"/;
/** Some servers name the event and not its type. */
const tellingEvents = new Set(['message_start', 'message_delta', 'message_stop', 'error']);

export class MessageStreamReader extends FrameReader {
  #figures: JsonObject = {};
  #outputIsCounted = false;
  #stopReason: string | null = null;
  #hasOutput = false;
  #container: unknown;

  constructor() {
    super(readMessageDelta);
  }

  push(sent: Frame): void {
    const { event, data } = sent;
    if (!telling.test(data) && !tellingEvents.has(event)) {
      this.#hasOutput ||= output.test(data);
      this.text.add(sent);
      return;
    }
    const frame = sent.object();
    this.text.addBeside(frame);
    switch (frame.type ?? event) {
      case 'message_start': {
        const message = asObject(frame.message);
        this.model = asText(message.model) ?? this.model;
        this.#merge(message.usage);
        this.#container = message.container;
        break;
      }
      case 'message_delta':
        this.#merge(frame.usage);
        this.#container = asObject(frame.delta).container ?? this.#container;
        this.#outputIsCounted ||= typeof asObject(frame.usage).output_tokens === 'number';
        // Some servers leave out `message_stop`. After a reason to stop the model writes nothing more.
        this.#stopReason ??= asText(asObject(frame.delta).stop_reason);
        this.sawEnd ||= this.#stopReason !== null;
        break;
      case 'message_stop':
        this.sawEnd = true;
        break;
      case 'error':
        this.failed = true;
        break;
      default: {
        const { type, to } = asObject(frame.content_block);
        if (frame.type === undefined && frame.error) this.failed = true;
        else if (type === 'fallback') this.model = asText(asObject(to).model) ?? this.model;
        else {
          this.#hasOutput ||= output.test(data);
          this.text.add(sent);
        }
      }
    }
  }

  override end(): StreamReading {
    const { usage, serviceTier, calls, isUnbilled, charge } = readMessageFigures({
      container: this.#container,
      model: this.model,
      usage: this.#figures,
      stop_reason: this.#stopReason,
      content: this.#hasOutput ? [{}] : [],
    });
    this.note({ charge });
    this.isUnbilled = isUnbilled === true;
    this.usage = usage;
    this.serviceTier = serviceTier;
    this.calls = calls;
    return super.end();
  }

  #merge(usage: unknown): void {
    this.#figures = mergeMessageUsage(this.#figures, usage);
    this.note({ unread: findUnreadOfMessage(usage) });
  }

  protected override isUsageFinal(): boolean {
    return this.#outputIsCounted;
  }
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

export function formatRefusal({ message, status }: ToldRefusal): string {
  const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return JSON.stringify({ type: 'error', error: { type, message } });
}

export const formatStreamError = (refusal: ToldRefusal): string =>
  `\n\nevent: error\ndata: ${formatRefusal(refusal)}\n\n`;
