import { createInbox, headers, type Msg, type NatsConnection } from 'nats';
import { eventSubject } from './names.ts';

/*
 * An event in the outbox is waiting, or sent, until JetStream has confirmed it:
 *
 *   add -> waiting -> sent -> (confirmed) gone
 *             ^         |
 *             +---------+  no confirmation within a second, refused by JetStream, or the connection was lost
 *
 * The client library drops what is published while it is disconnected, so nothing leaves the outbox on its word.
 * Every try carries the event's id as message id: JetStream drops repeats for two minutes, Postgres for ever.
 * What is in here when the process is killed is lost; the gap in the producer's counter then shows it.
 */

interface Entry {
  id: string;
  data: Uint8Array;
  /** When it was last sent, in milliseconds; 0 while it waits. */
  sentAt: number;
}

export interface OutboxOptions {
  /** Events it holds at most (interface.md section 8). */
  capacity?: number;
  /** Called when an event is refused because the outbox is full: that event is lost. */
  onDrop?: () => void;
  /** Called when JetStream refuses an event, for example because its stream is full; the event is sent again. */
  onRefusal?: (description: string) => void;
}

/** Sent and not yet confirmed at most; the rest waits its turn. */
const maxSent = 1_000;
const gatherMs = 2;
const resendAfterMs = 1_000;
const lookEveryMs = 250;

/** Holds events in memory until JetStream has confirmed them. See the state machine above. */
export class Outbox {
  readonly capacity: number;
  readonly #connection: NatsConnection;
  readonly #options: OutboxOptions;
  readonly #inbox = createInbox();
  /** In order of arrival, by the number that the confirmation's subject ends with. */
  readonly #entries = new Map<number, Entry>();
  readonly #waiting: number[] = [];
  readonly #timer: NodeJS.Timeout;
  #next = 0;
  #sent = 0;
  #connected = true;
  #whenEmpty: (() => void) | null = null;
  #sending: NodeJS.Timeout | null = null;

  constructor(connection: NatsConnection, options: OutboxOptions = {}) {
    this.capacity = options.capacity ?? 10_000;
    this.#connection = connection;
    this.#options = options;
    connection.subscribe(`${this.#inbox}.*`, { callback: (error, message) => this.#onAnswer(error, message) });
    void this.#followConnection();
    this.#timer = setInterval(() => this.#resendOverdue(), lookEveryMs);
  }

  /** Events held: waiting, or sent and not yet confirmed. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Takes an event over, and from then on sends it until it is confirmed.
   *
   * @param id the event's id, the same on every try
   * @returns false when the outbox is full and the event was dropped
   */
  add(id: string, data: Uint8Array): boolean {
    if (this.#entries.size >= this.capacity) {
      this.#options.onDrop?.();
      return false;
    }
    const number = this.#next++;
    this.#entries.set(number, { id, data, sentAt: 0 });
    this.#waiting.push(number);
    // Not at once: what else comes meanwhile goes out in the same write, and is confirmed in the same read.
    this.#sending ??= setTimeout(() => {
      this.#sending = null;
      this.#sendWaiting();
    }, gatherMs);
    return true;
  }

  /** Waits until every event is confirmed, at most `ms` milliseconds. @returns how many events are left */
  async drain(ms: number): Promise<number> {
    if (this.#entries.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#whenEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#entries.size;
  }

  /** Stops sending. What is still held is lost. */
  stop(): void {
    clearInterval(this.#timer);
    this.#connected = false;
  }

  #sendWaiting(): void {
    while (this.#connected && this.#sent < maxSent) {
      const number = this.#waiting.shift();
      if (number === undefined) return;
      const entry = this.#entries.get(number);
      if (!entry || entry.sentAt > 0) continue;
      entry.sentAt = Date.now();
      this.#sent += 1;
      this.#publish(number, entry);
    }
  }

  #publish(number: number, entry: Entry): void {
    const messageHeaders = headers();
    messageHeaders.set('Nats-Msg-Id', entry.id);
    try {
      this.#connection.publish(eventSubject, entry.data, {
        headers: messageHeaders,
        reply: `${this.#inbox}.${number}`,
      });
    } catch {
      // The connection is closing: the entry stays, unconfirmed.
    }
  }

  #onAnswer(error: Error | null, message: Msg): void {
    if (error) return;
    const number = Number(message.subject.slice(this.#inbox.length + 1));
    const entry = this.#entries.get(number);
    if (!entry) return;
    // Without a stream the server itself answers, with status 503 and no body.
    const refusal = message.headers?.code ? `status ${message.headers.code}` : readRefusal(message);
    if (refusal !== null) {
      // It stays "sent" and goes out again when it is overdue, so that a refusing server is not hammered.
      this.#options.onRefusal?.(refusal);
      return;
    }
    this.#entries.delete(number);
    if (entry.sentAt > 0) this.#sent -= 1;
    if (this.#entries.size === 0) this.#whenEmpty?.();
    this.#sendWaiting();
  }

  #resendOverdue(): void {
    if (!this.#connected) return;
    const now = Date.now();
    for (const [number, entry] of this.#entries) {
      if (entry.sentAt > 0 && now - entry.sentAt > resendAfterMs) {
        entry.sentAt = now;
        this.#publish(number, entry);
      }
    }
  }

  async #followConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect') this.#connected = false;
      if (type === 'reconnect') {
        this.#connected = true;
        this.#restart();
      }
    }
  }

  /** After a lost connection nothing that was sent can be relied upon: all of it waits again, oldest first. */
  #restart(): void {
    this.#sent = 0;
    this.#waiting.length = 0;
    for (const [number, entry] of this.#entries) {
      entry.sentAt = 0;
      this.#waiting.push(number);
    }
    this.#sendWaiting();
  }
}

/** Why JetStream refused, or null for a confirmation. Confirmations never hold the word, so most are not parsed. */
function readRefusal(message: Msg): string | null {
  const body = message.string();
  if (!body.includes('"error"')) return null;
  try {
    const { error } = JSON.parse(body) as { error?: { description?: unknown } };
    return error ? String(error.description) : null;
  } catch {
    return 'unreadable answer';
  }
}
