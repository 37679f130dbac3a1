import { setTimeout } from 'node:timers/promises';
import { type Msg, nanos } from 'nats';
import type { BusConnection } from './connect.ts';
import { ackWaitMs, type EventStreamOptions, ensureEventStream } from './ensure-event-stream.ts';
import { eventStream, writerConsumer } from './names.ts';
import { maxEventsInMessage, unpackEvents } from './parcel.ts';

/** One event of the stream, held until it is acknowledged. */
export interface DeliveredEvent {
  bytes: Uint8Array;
  /** What the publisher gave as `Nats-Msg-Id` of the message that the event came in. */
  readonly messageId: string | null;
  /** Where its message was published; the event stream takes in nothing but {@link eventSubject}, unless somebody has changed it. */
  readonly subject: string;
  /** Says that the event is done with; JetStream is told when all events of its message are. Call once. */
  acknowledge(): void;
}

export interface ConsumeOptions {
  stream: EventStreamOptions;
  /** Events that this process may hold unacknowledged at once. */
  maxHeld: number;
  onEvent: (delivered: DeliveredEvent) => void;
  /** Told why fetching was interrupted, which is taken up again by itself, or why events are not kept for a replay. */
  onTrouble?: (reason: string) => void;
}

/** A message until all its events are acknowledged. */
interface HeldMessage {
  readonly key: string;
  readonly messageId: string | null;
  readonly subject: string;
  /** Where the acknowledgement of the latest delivery goes. */
  reply: string;
  /** The look in which it arrived: what is younger than some looks needs no sign of life. */
  readonly look: number;
  /** Events that are not acknowledged yet. */
  left: number;
}

/** One of these is made for every event: a class, not closures. */
class HeldEvent implements DeliveredEvent {
  readonly #consumer: EventConsumer;
  readonly #message: HeldMessage;
  readonly bytes: Uint8Array;

  constructor(consumer: EventConsumer, message: HeldMessage, bytes: Uint8Array) {
    this.#consumer = consumer;
    this.#message = message;
    this.bytes = bytes;
  }

  get messageId(): string | null {
    return this.#message.messageId;
  }

  get subject(): string {
    return this.#message.subject;
  }

  acknowledge(): void {
    this.#consumer.acknowledge(this.#message);
  }
}

const encoder = new TextEncoder();
const acknowledged = encoder.encode('+ACK');
const notAcknowledged = encoder.encode('-NAK');
const inProgress = encoder.encode('+WPI');

const nextSubject = `$JS.API.CONSUMER.MSG.NEXT.${eventStream}.${writerConsumer}`;
// Short, because a request outlives its subscription: NATS 2.9 takes a redelivered message for delivered when it finds
// only such a request for it, and keeps it from everybody until its time to acknowledge is over.
const requestLifeMs = 1_000;
const lookEveryMs = 1_000;
const repairAfterMs = 250;
const drainWithinMs = 3_000;

/**
 * Fetches from the event stream for ever, through restarts and losses of NATS.
 *
 * It asks JetStream for as many messages as there is room for, and counts: `asked` are the messages requested and not yet
 * here, `held` the events here and not yet acknowledged; together they never exceed `maxHeld` events, were all messages full. (The client's own
 * `consume()` asks again as soon as messages arrive, whatever becomes of them.) Requests die with the connection and
 * with their time limit, so `asked` is forgotten then and the room asked for anew. While a message is held JetStream
 * is told so, or it would give it to another writer; one that comes again all the same is the one that is held.
 * After a crash everything unacknowledged is delivered again.
 */
export class EventConsumer {
  readonly #connection: BusConnection;
  readonly #options: ConsumeOptions;
  readonly #inbox: string;
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

  /** Events that are here and not yet acknowledged. */
  get held(): number {
    return this.#held;
  }

  /** Why the stream and its consumer could not be made or brought to their shape yet; null once they were. */
  get notMade(): string | null {
    return this.#notMade;
  }

  /** Stops fetching. What was asked for may still arrive before this resolves, and is held like all else. */
  async drain(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#noteAsked(this.#asked);
    const late = setTimeout(drainWithinMs, undefined, { ref: false });
    await Promise.race([this.#nothingAsked.promise.then(() => this.#subscription.drain()).catch(() => {}), late]);
    this.#subscription.unsubscribe();
  }

  /** Gives what is still held back to JetStream, for another writer to take at once. */
  release(): void {
    for (const { reply } of this.#messages.values()) this.#publish(reply, notAcknowledged);
    this.#messages.clear();
    this.#held = 0;
  }

  #onMessage(message: Msg, reply: string): void {
    this.#noteAsked(this.#asked - 1);
    const key = toMessageKey(reply);
    const held = this.#messages.get(key);
    if (held !== undefined) {
      held.reply = reply;
      return;
    }
    const events = unpackEvents(message.data);
    const messageId = message.headers?.get('Nats-Msg-Id') || null;
    const arrived = { key, messageId, subject: message.subject, reply, look: this.#look, left: events.length };
    this.#messages.set(key, arrived);
    this.#held += events.length;
    for (const bytes of events) this.#options.onEvent(new HeldEvent(this, arrived, bytes));
    this.#ask();
  }

  /** See {@link DeliveredEvent.acknowledge}. */
  acknowledge(message: HeldMessage): void {
    if (!this.#messages.has(message.key)) return;
    this.#held -= 1;
    message.left -= 1;
    if (message.left === 0) {
      this.#messages.delete(message.key);
      this.#publish(message.reply, acknowledged);
    }
    this.#ask();
  }

  /** Asks for as many messages as there is room for, in requests of some size. */
  #ask(): void {
    const { maxHeld } = this.#options;
    const room = Math.floor((maxHeld - this.#held) / maxEventsInMessage) - this.#asked;
    if (this.#stopped || this.#repairing || room < 1 || room < maxHeld / maxEventsInMessage / 4) return;
    this.#asked += room;
    this.#askedAt = Date.now();
    const request = JSON.stringify({ batch: room, expires: nanos(requestLifeMs) });
    this.#publish(nextSubject, encoder.encode(request), this.#inbox);
  }

  /** A request ended before it was filled: because its time was over, or because something is wrong. */
  #onStatus(message: Msg): void {
    const code = message.headers?.code ?? 0;
    if (code === 408 || code === 404) {
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
    // No request can be alive any more, whatever became of the answers.
    if (this.#asked > 0 && Date.now() - this.#askedAt > 3 * requestLifeMs) this.#asked = 0;
    this.#ask();
  }

  /** Makes the stream and its consumer if they are not there, and then asks anew. */
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
      this.#asked = 0;
      this.#ask();
    }
  }

  /** What is published on a closed connection is lost like what is published on a broken one: it comes again. */
  #publish(subject: string, data: Uint8Array, reply?: string): void {
    if (!this.#connection.isClosed()) this.#connection.publish(subject, data, reply === undefined ? {} : { reply });
  }
}

const ackPath = `.${eventStream}.${writerConsumer}.`;

/**
 * The same for every delivery of one message, and for no other message, not even in a stream that was lost and
 * begun again: its sequence and time, from the subject that acknowledgements go to,
 * `$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>[.<token>]`
 * (NATS ADR-15).
 */
function toMessageKey(reply: string): string {
  const sequence = reply.indexOf('.', reply.indexOf(ackPath) + ackPath.length);
  const afterSequence = reply.indexOf('.', sequence + 1);
  const time = reply.indexOf('.', afterSequence + 1);
  return reply.slice(sequence + 1, afterSequence) + reply.slice(time, reply.indexOf('.', time + 1));
}
