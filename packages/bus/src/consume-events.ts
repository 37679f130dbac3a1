import { setTimeout } from 'node:timers/promises';
import { type Msg, nanos } from 'nats';
import type { BusConnection } from './connect.ts';
import { maxEventsInMessage, unpackEvents } from './parcel.ts';
import { ServerPatience } from './server-patience.ts';
import { ackWaitMs, type EventStreamOptions, ensureEventStream, eventStream, writerConsumer } from './streams.ts';

export interface DeliveredEvent {
  bytes: Uint8Array;
  readonly messageId: string | null;
  /** {@link eventSubject}, unless somebody has reconfigured the stream. */
  readonly subject: string;
  /** The message is acknowledged to JetStream when all its events are. Call once. */
  acknowledge(): void;
}

interface ConsumeOptions {
  stream: EventStreamOptions;
  maxHeld: number;
  onEvent: (delivered: DeliveredEvent) => void;
  /** Called with the reason if fetching was interrupted (it resumes by itself) or events cannot be kept for a replay. */
  onTrouble?: (reason: string) => void;
}

interface HeldMessage {
  readonly key: string;
  reply: string;
  readonly look: number;
  left: number;
}

const encoder = new TextEncoder();
const acknowledged = encoder.encode('+ACK');
const notAcknowledged = encoder.encode('-NAK');
const inProgress = encoder.encode('+WPI');

const nextSubject = `$JS.API.CONSUMER.MSG.NEXT.${eventStream}.${writerConsumer}`;
// Short, because NATS 2.9 redelivers a message to a request that outlived its subscription, and withholds it from everybody until its
// acknowledge time is over.
const requestLifeMs = 1_000;
const lookEveryMs = 1_000;
const repairAfterMs = 250;
const drainWithinMs = 3_000;

/**
 * Fetches from the event stream for ever. `asked` (requested, not received) and `held` (received, not acknowledged) together never exceed
 * `maxHeld` events. Held messages give a sign of life, or JetStream would deliver them to another writer. It speaks JetStream's protocol
 * itself, because nats 2.29.3 keeps to no such bound: consume() requests more as messages arrive, and fetch() requests its whole batch
 * again after a reconnect.
 */
export class EventConsumer {
  readonly #connection: BusConnection;
  readonly #options: ConsumeOptions;
  readonly #inbox: string;
  readonly #patience: ServerPatience;
  readonly #subscription;
  readonly #messages = new Map<string, HeldMessage>();
  #held = 0;
  readonly #timer: NodeJS.Timeout;
  readonly #signOfLifeEvery: number;
  #asked = 0;
  #askedAt = 0;
  #look = 0;
  #stopped = false;
  #repairing = false;
  #notMade: string | null = 'not made yet';
  readonly #nothingAsked = Promise.withResolvers<void>();

  constructor(connection: BusConnection, options: ConsumeOptions) {
    this.#connection = connection;
    this.#inbox = connection.makeInbox();
    this.#options = options;
    this.#patience = new ServerPatience(connection);
    const waitMs = options.stream.ackWaitMs ?? ackWaitMs;
    this.#signOfLifeEvery = Math.max(1, Math.floor(waitMs / 3 / lookEveryMs));
    this.#subscription = connection.subscribe(this.#inbox, {
      callback: (error, message) => {
        if (error) void this.#repair(error.message);
        else if (message.reply) this.#onMessage(message, message.reply);
        else this.#onStatus(message);
      },
    });
    void this.#followConnection();
    this.#timer = setInterval(() => this.#lookAfter(), lookEveryMs);
    void this.#repair(null);
  }

  get held(): number {
    return this.#held;
  }

  get notMade(): string | null {
    return this.#notMade;
  }

  /** Stops fetching; requested messages may still arrive before this resolves, and are held. */
  async drain(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#noteAsked(this.#asked);
    const late = setTimeout(drainWithinMs, undefined, { ref: false });
    await Promise.race([this.#nothingAsked.promise.then(() => this.#subscription.drain()).catch(() => {}), late]);
    this.#subscription.unsubscribe();
  }

  /** Returns held messages to JetStream, so that another writer gets them at once. */
  release(): void {
    for (const { reply } of this.#messages.values()) this.#publish(reply, notAcknowledged);
    this.#messages.clear();
    this.#held = 0;
  }

  #onMessage(message: Msg, reply: string): void {
    this.#patience.satisfy();
    this.#noteAsked(this.#asked - 1);
    const key = toMessageKey(reply);
    const held = this.#messages.get(key);
    if (held !== undefined) {
      held.reply = reply;
      return;
    }
    const events = unpackEvents(message.data);
    const messageId = message.headers?.get('Nats-Msg-Id') || null;
    const arrived = { key, reply, look: this.#look, left: events.length };
    this.#messages.set(key, arrived);
    this.#held += events.length;
    const acknowledge = () => this.#acknowledge(arrived);
    for (const bytes of events) this.#options.onEvent({ bytes, messageId, subject: message.subject, acknowledge });
    this.#ask();
  }

  #acknowledge(message: HeldMessage): void {
    if (!this.#messages.has(message.key)) return;
    this.#held -= 1;
    message.left -= 1;
    if (message.left === 0) {
      this.#messages.delete(message.key);
      this.#publish(message.reply, acknowledged);
    }
    this.#ask();
  }

  #ask(): void {
    const { maxHeld } = this.#options;
    const room = Math.floor((maxHeld - this.#held) / maxEventsInMessage) - this.#asked;
    if (this.#stopped || this.#repairing || room < 1 || room < maxHeld / maxEventsInMessage / 4) return;
    this.#asked += room;
    this.#askedAt = performance.now();
    const request = JSON.stringify({ batch: room, expires: nanos(requestLifeMs) });
    this.#publish(nextSubject, encoder.encode(request), this.#inbox);
  }

  #onStatus(message: Msg): void {
    const code = message.headers?.code ?? 0;
    if (code === 408 || code === 404) {
      this.#patience.satisfy();
      this.#noteAsked(this.#asked - Number(message.headers?.get('Nats-Pending-Messages') || 0));
      this.#ask();
    } else if (code !== 100) {
      void this.#repair(`status ${code} ${message.headers?.description ?? ''}`.trim());
    }
  }

  #noteAsked(asked: number): void {
    this.#asked = Math.max(0, asked);
    if (this.#stopped && this.#asked === 0) this.#nothingAsked.resolve();
  }

  #lookAfter(): void {
    this.#look += 1;
    if (this.#look % this.#signOfLifeEvery === 0) {
      for (const { reply, look } of this.#messages.values()) {
        if (look <= this.#look - this.#signOfLifeEvery / 2) this.#publish(reply, inProgress);
      }
    }
    if (this.#asked > 0 || this.#repairing) this.#patience.wait();
    if (this.#asked > 0 && performance.now() - this.#askedAt > 3 * requestLifeMs) this.#asked = 0;
    this.#ask();
  }

  /** Makes the stream and its consumer if they are missing, then requests again. */
  async #repair(reason: string | null): Promise<void> {
    if (this.#repairing) return;
    this.#repairing = true;
    if (reason !== null) {
      this.#options.onTrouble?.(reason);
      await setTimeout(repairAfterMs);
    }
    for (let pauseMs = 100; !this.#stopped && !this.#connection.isClosed(); pauseMs = Math.min(2 * pauseMs, 5_000)) {
      try {
        const notKept = await ensureEventStream(this.#connection, this.#options.stream);
        this.#notMade = null;
        if (notKept !== null) this.#options.onTrouble?.(notKept);
        break;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (this.#notMade !== null) this.#notMade = reason;
        this.#options.onTrouble?.(reason);
        await setTimeout(pauseMs);
      }
    }
    this.#repairing = false;
    this.#asked = 0;
    this.#ask();
  }

  async #followConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type !== 'reconnect') continue;
      this.#patience.restart();
      this.#asked = 0;
      this.#ask();
    }
  }

  /** A closed connection loses messages like a broken one does: JetStream delivers again. */
  #publish(subject: string, data: Uint8Array, reply?: string): void {
    if (!this.#connection.isClosed()) this.#connection.publish(subject, data, reply === undefined ? {} : { reply });
  }
}

const ackPath = `.${eventStream}.${writerConsumer}.`;

/**
 * A key that all deliveries of one message share: its sequence and time, of
 * `$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>[.<token>]` (NATS
 * ADR-15).
 */
function toMessageKey(reply: string): string {
  const sequence = reply.indexOf('.', reply.indexOf(ackPath) + ackPath.length);
  const afterSequence = reply.indexOf('.', sequence + 1);
  const time = reply.indexOf('.', afterSequence + 1);
  return reply.slice(sequence + 1, afterSequence) + reply.slice(time, reply.indexOf('.', time + 1));
}
