import { type NatsConnection, readBacklog } from '@agp/bus';
import { type Db, type RecordedEvents, readRecordingHealth } from '@agp/db';
import { Counter, createRegistry, every, Gauge, Histogram, keepReading, type Registry } from '@agp/runtime';

export class WriterMetrics {
  readonly registry: Registry = createRegistry('writer');
  readonly quarantined: Counter<'code'>;
  readonly retries: Counter<'step'>;
  readonly endedWithoutRecord: Counter;
  readonly pending: Gauge;
  readonly unacknowledged: Gauge;
  readonly streamUsed: Gauge;
  /** Read from storage once a minute; absent until then. */
  readonly storage: { quarantineWaiting: Gauge; partitionsEnd: Gauge; defaultPartition: Gauge; unsealedAge: Gauge };
  readonly #recorded: Counter;
  readonly #known: Counter;
  readonly #batchEvents: Histogram;
  readonly #stepSeconds: Histogram<'step'>;

  constructor(readHeld: () => number) {
    const registers = [this.registry];
    const counter = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter<Label>({ name, help, labelNames, registers });
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
    this.#recorded = counter('agp_writer_events_recorded_total', 'Events that this writer has committed.');
    this.#known = counter(
      'agp_writer_events_known_total',
      'Events that were delivered again after they had been recorded.',
    );
    this.quarantined = counter(
      'agp_writer_messages_quarantined_total',
      'Messages that can never be recorded, set aside with their bytes.',
      'code',
    );
    this.endedWithoutRecord = counter(
      'agp_writer_requests_ended_without_record_total',
      'Forwarded requests that this writer has noted because their proxy ended before their event was safe.',
    );
    this.retries = counter('agp_writer_retries_total', 'Failed tries that will be made again.', 'step');
    // Series must begin at 0, since `rate` misses a first value of 1.
    for (const code of ['not_utf8', 'not_json', 'not_an_event', 'not_proxied']) this.quarantined.inc({ code }, 0);
    for (const step of ['record', 'quarantine', 'announce']) this.retries.inc({ step }, 0);
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
      help: 'Events in memory: fetched and not yet acknowledged.',
      registers,
      collect() {
        this.set(readHeld());
      },
    });
    this.pending = gauge('agp_writer_pending_messages', 'Messages in the stream that no writer has fetched yet.');
    this.unacknowledged = gauge(
      'agp_writer_unacknowledged_messages',
      'Messages that all writers together have fetched and not acknowledged.',
    );
    this.streamUsed = gauge(
      'agp_writer_stream_used_ratio',
      'Part of the room of the event stream that is taken; at 1 JetStream refuses events.',
    );
    const absentGauge = (name: string, help: string) => {
      const absent = gauge(name, help);
      // Absent until first read: a 0 would be an alarm, or hide one.
      absent.remove();
      return absent;
    };
    this.storage = {
      quarantineWaiting: absentGauge(
        'agp_writer_quarantine_waiting_messages',
        'Messages that were set aside and not replayed, of all writers.',
      ),
      partitionsEnd: absentGauge(
        'agp_writer_partitions_end_timestamp_seconds',
        'Until when there are partitions for events.',
      ),
      defaultPartition: absentGauge(
        'agp_writer_default_partition_events',
        'Events without a partition of their own, counted up to 10,000.',
      ),
      unsealedAge: absentGauge(
        'agp_writer_unsealed_refusals_age_seconds',
        'Age of the oldest minute whose refused requests are not in the chain of the audit log; 0 when all are.',
      ),
    };
  }

  countBatch(size: number, { recorded, known }: RecordedEvents): void {
    this.#batchEvents.observe(size);
    this.#recorded.inc(recorded.length);
    this.#known.inc(known.length);
  }

  async time<T>(step: 'record' | 'announce', run: () => Promise<T>): Promise<T> {
    const end = this.#stepSeconds.startTimer({ step });
    const result = await run();
    end();
    return result;
  }
}

const everyMs = 5_000;

/** The gauges keep their values while JetStream does not answer. */
export function watchBacklog(connection: NatsConnection, metrics: WriterMetrics): () => Promise<void> {
  return every(everyMs, async () => {
    const backlog = await readBacklog(connection);
    metrics.pending.set(backlog.pending);
    metrics.unacknowledged.set(backlog.unacknowledged);
    metrics.streamUsed.set(backlog.usedRatio);
  });
}

/** The gauges keep their values while Postgres does not answer. */
export function watchRecordingHealth(db: Db, { storage }: WriterMetrics): () => Promise<void> {
  return keepReading({
    read: () => readRecordingHealth(db),
    show(health) {
      storage.quarantineWaiting.set(health.quarantine_waiting);
      storage.partitionsEnd.set((health.partitions_end?.getTime() ?? 0) / 1_000);
      storage.defaultPartition.set(health.default_partition_events);
      const oldest = health.oldest_unsealed_refusals?.getTime();
      storage.unsealedAge.set(oldest === undefined ? 0 : Math.max(0, (Date.now() - oldest) / 1_000));
    },
  });
}
