import { parseJson } from '@agp/core/json';
import type { Msg } from 'nats';
import type { BusConnection } from './connect.ts';
import { maxEventsInMessage, packEvents, writeHeaders } from './parcel.ts';
import { ServerPatience } from './server-patience.ts';
import { eventSubject } from './streams.ts';

/*
 * An event in the outbox waits, then goes out in a message with others, until JetStream has confirmed that message:
 *
 *   add -> waiting -> in a message -> (confirmed) gone
 *                      |        ^
 *                      +--------+  sent again: unconfirmed for a second, or the connection was lost meanwhile
 *
 * If nothing is confirmed for some seconds, the server is left for another one.
 *
 * The client library drops messages published while it is disconnected, so only JetStream's confirmation removes one from here.
 * A message keeps its events and its id on every try: JetStream drops repeats for two minutes, Postgres for ever.
 * If the process is killed, the outbox is lost; the gap in the producer's counter shows it.
 */

interface Message {
  id: string;
  data: Uint8Array;
  events: string[];
  /** On the monotonic clock in milliseconds: the machine's clock may be set back. */
  sentAt: number;
}

interface OutboxOptions {
  capacity?: number;
  onDrop?: () => void;
  onConfirm?: (ids: readonly string[]) => void;
  onRefusal?: (description: string) => void;
}

const maxSent = 64;
const gatherMs = 2;
const resendAfterMs = 1_000;
const lookEveryMs = 250;

export class Outbox {
  readonly capacity: number;
  readonly #connection: BusConnection;
  readonly #options: OutboxOptions;
  readonly #inbox: string;
  readonly #patience: ServerPatience;
  readonly #waiting: { id: string; event: string }[] = [];
  readonly #sent = new Map<number, Message>();
  readonly #timer: NodeJS.Timeout;
  #size = 0;
  #next = 0;
  #connected = true;
  #whenEmpty: (() => void) | null = null;
  #gathering: NodeJS.Timeout | null = null;

  constructor(connection: BusConnection, options: OutboxOptions = {}) {
    this.capacity = options.capacity ?? 10_000;
    this.#connection = connection;
    this.#inbox = connection.makeInbox();
    this.#options = options;
    this.#patience = new ServerPatience(connection);
    connection.subscribe(`${this.#inbox}.*`, { callback: (error, message) => this.#onAnswer(error, message) });
    void this.#followConnection();
    this.#timer = setInterval(() => this.#resendOverdue(), lookEveryMs);
  }

  get size(): number {
    return this.#size;
  }

  /** Takes an event over as JSON, and sends it until it is confirmed. Returns false if the outbox is full and the event was dropped. */
  add(id: string, event: string): boolean {
    if (this.#size >= this.capacity) {
      this.#options.onDrop?.();
      return false;
    }
    this.#size += 1;
    this.#waiting.push({ id, event });
    // Events of the next milliseconds share the message.
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      this.#sendWaiting();
    }, gatherMs);
    return true;
  }

  async drain(ms: number): Promise<number> {
    if (this.#size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#whenEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#size;
  }

  stop(): void {
    clearInterval(this.#timer);
    if (this.#gathering) clearTimeout(this.#gathering);
    this.#connected = false;
  }

  #sendWaiting(): void {
    while (this.#connected && this.#waiting.length > 0 && this.#sent.size < maxSent) {
      const batch = this.#waiting.splice(0, maxEventsInMessage);
      const id = batch[0]?.id ?? '';
      const message = {
        id,
        data: packEvents(batch.map(({ event }) => event)),
        events: batch.map((held) => held.id),
        sentAt: 0,
      };
      const number = this.#next++;
      this.#sent.set(number, message);
      this.#publish(number, message);
    }
  }

  #publish(number: number, message: Message): void {
    message.sentAt = performance.now();
    try {
      this.#connection.publish(eventSubject, message.data, {
        headers: writeHeaders(message.id),
        reply: `${this.#inbox}.${number}`,
      });
    } catch {
      // The connection is closing: the message stays, unconfirmed.
    }
  }

  #onAnswer(error: Error | null, answer: Msg): void {
    if (error) return;
    const number = Number(answer.subject.slice(this.#inbox.length + 1));
    const message = this.#sent.get(number);
    if (!message) return;
    // Without a stream, or if the server does not reach its leader, the answer has status 503 and no body.
    const isUnreachable = Boolean(answer.headers?.code);
    const refusal = isUnreachable ? `status ${answer.headers?.code}` : readRefusal(answer);
    if (!isUnreachable) this.#patience.satisfy();
    if (refusal !== null) {
      // Sent again when it is overdue, not at once: a refusing server is not hammered.
      this.#options.onRefusal?.(refusal);
      return;
    }
    this.#sent.delete(number);
    this.#size -= message.events.length;
    this.#options.onConfirm?.(message.events);
    if (this.#size === 0) this.#whenEmpty?.();
    this.#sendWaiting();
  }

  #resendOverdue(): void {
    if (!this.#connected) return;
    if (this.#sent.size === 0) this.#patience.satisfy();
    else this.#patience.wait();
    const now = performance.now();
    for (const [number, message] of this.#sent) {
      if (now - message.sentAt > resendAfterMs) this.#publish(number, message);
    }
  }

  async #followConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect') this.#connected = false;
      if (type === 'reconnect') {
        this.#connected = true;
        this.#patience.restart();
        // Messages sent over the lost connection may not have arrived.
        for (const [number, message] of this.#sent) this.#publish(number, message);
        this.#sendWaiting();
      }
    }
  }
}

function readRefusal(message: Msg): string | null {
  const body = message.string();
  if (!body.includes('"error"')) return null;
  try {
    const { error } = parseJson(body) as { error?: { description?: unknown } };
    return error ? String(error.description) : null;
  } catch {
    return 'unreadable answer';
  }
}
