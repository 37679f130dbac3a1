import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError } from '@agp/core/errors';
import { dialects, EventSplitter, findFraming, formatException } from '@agp/metering';
import type { Head } from '../journey.ts';
import { tellRefusal } from './refusal.ts';

/** SSE, an array that a stream's frames are elements of, or AWS' event stream. */
type LastFraming = 'frames' | 'array' | 'events';

/** How a stream can end early: with an error that its provider's own SDK raises. */
export class StreamEnd {
  readonly #head: Pick<Head, 'operation' | 'provider'>;
  readonly #framing: LastFraming;
  /** Follows the messages of an event stream, within which no error can stand. */
  readonly #sent = new EventSplitter();

  constructor(head: Pick<Head, 'operation' | 'provider'>, framing: LastFraming) {
    this.#head = head;
    this.#framing = framing;
  }

  /** @param bytes that the agent was sent */
  push(bytes: Buffer): void {
    if (this.#framing === 'events') this.#sent.push(bytes.toString('latin1'), () => {});
  }

  /** @param contact whom to ask, if that is set @returns null if the agent has part of a message, so that only a cut shows the end */
  format(error: ApiError, contact: string | undefined): Buffer | null {
    const told = tellRefusal(error, contact);
    if (this.#framing === 'events') return this.#sent.isAtBorder ? formatException(told) : null;
    const { operation, provider } = this.#head;
    const dialect = dialects[operation?.api ?? provider.api];
    return Buffer.from(dialect.formatStreamError(told, operation, this.#framing === 'array'));
  }
}

/** @param headers of the answer @returns null for what is no stream */
export function openStreamEnd(
  head: Pick<Head, 'operation' | 'provider'>,
  headers: IncomingHttpHeaders,
): StreamEnd | null {
  const framing = findFraming(headers) ?? (head.operation?.answerFormat === 'array' ? 'array' : null);
  return framing && new StreamEnd(head, framing);
}
