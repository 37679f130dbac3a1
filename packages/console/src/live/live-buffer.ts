import type { StreamEvent } from '@agp/core/contracts';
import { isFailed } from '@agp/core/explain';
import type { LiveSearch } from '../search/screen-searches.ts';

/** What a buffer needs to know of an event. */
interface Identified {
  id: string;
}

interface BufferOptions {
  /** Most rows that are shown. */
  capacity: number;
  /** Ids that are remembered, so that an event that comes twice is shown once. */
  remembered: number;
}

const usual: BufferOptions = { capacity: 2_000, remembered: 20_000 };

/** The latest events, newest first, in bounded memory; held, it lets what comes wait, so that rows do not move under a reader. */
export class LiveBuffer<Row extends Identified> {
  readonly #options: BufferOptions;
  #rows: readonly Row[] = [];
  #waiting: Row[] = [];
  #waitingCount = 0;
  #known = new Set<string>();
  #isHeld = false;

  constructor(options: Partial<BufferOptions> = {}) {
    this.#options = { ...usual, ...options };
  }

  /** The same array until it changes. */
  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** How many came while it was held; of those only the latest are kept. */
  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** @param events in the order in which they came. @returns how many were new */
  add(events: readonly Row[]): number {
    const fresh = events.filter(({ id }) => this.#isNew(id));
    if (fresh.length === 0) return 0;
    this.#waiting.push(...fresh);
    this.#waitingCount += fresh.length;
    const excess = this.#waiting.length - this.#options.capacity;
    if (excess > 0) this.#waiting.splice(0, excess);
    if (!this.#isHeld) this.#show();
    return fresh.length;
  }

  /** Keeps the rows as they are until {@link release}. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Shows what has come in the meantime. */
  release(): void {
    this.#isHeld = false;
    this.#show();
  }

  #show(): void {
    if (this.#waiting.length > 0)
      this.#rows = [...this.#waiting.reverse(), ...this.#rows].slice(0, this.#options.capacity);
    this.#waiting = [];
    this.#waitingCount = 0;
  }

  #isNew(id: string): boolean {
    if (this.#known.has(id)) return false;
    this.#known.add(id);
    if (this.#known.size > this.#options.remembered) {
      const [oldest] = this.#known;
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return true;
  }
}

const windowMs = 60_000;
const slotMs = 1_000;
const slots = windowMs / slotMs;

/** Counts what came in the last minute, second by second. */
export class RateMeter {
  readonly #counts = new Uint32Array(slots);
  #last = 0;

  /** @param now milliseconds */
  add(count: number, now: number): void {
    this.#advance(now);
    const slot = this.#last % slots;
    this.#counts[slot] = (this.#counts[slot] ?? 0) + count;
  }

  /** How many came in the minute before `now`. */
  perMinute(now: number): number {
    this.#advance(now);
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  #advance(now: number): void {
    const second = Math.floor(now / slotMs);
    const passed = Math.min(slots, second - this.#last);
    for (let at = 1; at <= passed; at += 1) this.#counts[(this.#last + at) % slots] = 0;
    if (passed >= slots) this.#counts.fill(0);
    this.#last = Math.max(this.#last, second);
  }
}

/** Whether an event has the text in its agent's name, model or tag, in any case, and personal data or a failure if that is asked for. */
export function matchEvent(
  event: Pick<
    StreamEvent,
    'agent_name' | 'model' | 'compliance_tag' | 'pii_detected' | 'outcome' | 'http_status' | 'failure'
  >,
  { text, pii, failed }: Pick<LiveSearch, 'text' | 'pii' | 'failed'>,
): boolean {
  const { agent_name, model, compliance_tag, pii_detected } = event;
  if (pii && !pii_detected) return false;
  if (failed && !isFailed(event)) return false;
  if (text === undefined) return true;
  const wanted = text.toLowerCase();
  return [agent_name ?? '', model, compliance_tag].some((value) => value.toLowerCase().includes(wanted));
}
