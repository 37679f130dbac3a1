import type { RecordedEvents } from '@agp/db';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@agp/runtime';

/** What the writer tells Prometheus. */
export class WriterMetrics {
  readonly registry = new Registry();
  readonly quarantined: Counter<'code'>;
  readonly retries: Counter<'step'>;
  readonly pending: Gauge;
  readonly unacknowledged: Gauge;
  readonly #recorded: Counter;
  readonly #known: Counter;
  readonly #batchEvents: Histogram;
  readonly #stepSeconds: Histogram<'step'>;

  /** @param readHeld messages that are in memory now */
  constructor(readHeld: () => number) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#recorded = new Counter({
      name: 'agp_writer_events_recorded_total',
      help: 'Events that this writer has committed.',
      registers,
    });
    this.#known = new Counter({
      name: 'agp_writer_events_known_total',
      help: 'Events that were delivered again after they had been recorded.',
      registers,
    });
    this.quarantined = new Counter({
      name: 'agp_writer_messages_quarantined_total',
      help: 'Messages that can never be recorded, set aside with their bytes.',
      labelNames: ['code'],
      registers,
    });
    this.retries = new Counter({
      name: 'agp_writer_retries_total',
      help: 'Failed tries that will be made again.',
      labelNames: ['step'],
      registers,
    });
    this.#batchEvents = new Histogram({
      name: 'agp_writer_batch_events',
      help: 'Events in a batch.',
      buckets: [1, 2, 5, 10, 20, 50, 100],
      registers,
    });
    this.#stepSeconds = new Histogram({
      name: 'agp_writer_step_seconds',
      help: 'Time that a batch spends in a step, retries included.',
      labelNames: ['step'],
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
      registers,
    });
    new Gauge({
      name: 'agp_writer_held_messages',
      help: 'Messages in memory: fetched and not yet acknowledged.',
      registers,
      collect() {
        this.set(readHeld());
      },
    });
    this.pending = new Gauge({
      name: 'agp_writer_pending_messages',
      help: 'Messages in the stream that no writer has fetched yet.',
      registers,
    });
    this.unacknowledged = new Gauge({
      name: 'agp_writer_unacknowledged_messages',
      help: 'Messages that all writers together have fetched and not acknowledged.',
      registers,
    });
  }

  countBatch(size: number, { recorded, known }: RecordedEvents): void {
    this.#batchEvents.observe(size);
    this.#recorded.inc(recorded.length);
    this.#known.inc(known.length);
  }

  /** Runs a step and notes how long it took. */
  async time<T>(step: 'record' | 'announce', run: () => Promise<T>): Promise<T> {
    const end = this.#stepSeconds.startTimer({ step });
    const result = await run();
    end();
    return result;
  }
}
