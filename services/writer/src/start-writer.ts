import { type BusConnection, connectBus, EventConsumer, logBusStatus, makeReadBacklog } from '@agp/bus';
import { createStorageChecks, openDatabase } from '@agp/db';
import { budgetTimeoutMs, connectRedis, createBudgetReservations } from '@agp/reservations';
import {
  createLogger,
  type Logger,
  logErrorsSparsely,
  logLostConnection,
  logReadiness,
  logRedisStatus,
  Readiness,
  readUrlAgain,
  type Service,
  startOpsServer,
  toStopLimit,
  withTimeout,
} from '@agp/runtime';
import type { WriterConfig } from '@agp/settings';
import { makeAnnounce } from './announce.ts';
import { keepSealing } from './jobs/keep-sealing.ts';
import { keepSweeping } from './jobs/sweep-reservations.ts';
import { maxHeld } from './limits.ts';
import { WriterMetrics, watchBacklog, watchRecordingHealth } from './metrics.ts';
import { makeSettle, type PipelineSteps, startPipeline } from './pipeline.ts';
import { makeQuarantine } from './quarantine.ts';
import { makeRecord } from './record.ts';

export interface WriterOverrides {
  logger?: Logger;
  /** In milliseconds. */
  ackWaitMs?: number;
  sealEveryMs?: number;
  sweepEveryMs?: number;
  /** In milliseconds: a forwarded request may be lost after so much silence of its proxy. */
  silentMs?: number;
  steps?: (steps: PipelineSteps) => PipelineSteps;
}

/** In milliseconds: a silent Postgres must not keep messages from being given back. */
const giveUpWithinMs = 1_000;
const flushWithinMs = 2_000;

/** Starts the writer. Its ops endpoints (`url`) are served at once; the rest waits for NATS and Postgres. */
export async function startWriter(config: WriterConfig, overrides: WriterOverrides = {}): Promise<Service> {
  const logger = overrides.logger ?? createLogger('writer', config.logLevel);
  const giveUp = new AbortController();
  const { signal } = giveUp;
  // Undone in reverse order, by `stop` or by a start that fails.
  await using started = new AsyncDisposableStack();

  const database = openDatabase({
    url: readUrlAgain(config, 'databaseUrl', logger),
    applicationName: 'agp-writer',
    // One for each lane, one to set messages aside, one to sweep, one to seal, one for readiness, one for metrics.
    maxConnections: config.writerLanes + 5,
    pipeline: true,
    onConnectionError: logLostConnection(logger),
  });
  started.defer(() => database.close());
  let readHeld = () => 0;
  let readNotMade = (): string | null => 'not made yet';
  const metrics = new WriterMetrics(() => readHeld());
  let bus: BusConnection | null = null;
  const readiness = new Readiness(
    {
      ...createStorageChecks(database.pool),
      nats: async () => {
        if (bus === null) throw new Error('not connected yet');
        await bus.flush();
      },
      stream: async () => {
        const notMade = readNotMade();
        if (notMade !== null) throw new Error(notMade);
      },
    },
    { onChange: logReadiness(logger) },
  );
  started.defer(() => readiness.stop());
  const ops = await startOpsServer(
    { ...config, host: config.opsHost, port: config.opsPort },
    metrics.registry,
    readiness,
  );
  started.defer(() => ops.stop(1_000));

  const connection = await connectBus({
    url: readUrlAgain(config, 'natsUrl', logger),
    caFile: config.natsCaFile,
    name: 'agp-writer',
    onStatus: logBusStatus(logger),
  });
  bus = connection;
  started.defer(async () => {
    // A lost acknowledgement only means that the message is delivered again.
    await withTimeout(connection.flush(), flushWithinMs).catch(() => {});
    await connection.close();
  });

  const redis = connectRedis({
    url: readUrlAgain(config, 'redisUrl', logger),
    caFile: config.redisCaFile,
    commandTimeoutMs: config.redisTimeoutMs ?? budgetTimeoutMs,
    onStatus: logRedisStatus(logger),
  });
  started.defer(() => redis.disconnect());
  const onFailure = (message: string) => logErrorsSparsely(logger, 'warn', message);
  const reservations = createBudgetReservations(redis);
  const readUnread = makeReadBacklog(connection);
  started.defer(
    keepSweeping({
      reservations,
      pool: database.pool,
      metrics,
      logger,
      onFailure: onFailure('reservations are not swept now; they are swept later'),
      readUnreadMs: async () => (await readUnread()).oldestMs,
      everyMs: overrides.sweepEveryMs,
      silentMs: overrides.silentMs,
    }),
  );

  const notSealed = onFailure('refused requests are not in the audit chain yet; they are sealed later');
  started.defer(keepSealing(database.db, notSealed, overrides.sealEveryMs));

  started.defer(watchBacklog(connection, metrics));
  started.defer(watchRecordingHealth(database.db, metrics));

  const onFailureOf = (step: string) => (error: unknown) => {
    metrics.retries.inc({ step });
    logger.warn({ step, code: (error as { code?: unknown }).code }, 'step failed, will be tried again');
  };
  const quarantine = makeQuarantine({
    db: database.db,
    metrics,
    logger,
    signal,
    onFailure: onFailureOf('quarantine'),
  });
  const steps: PipelineSteps = {
    record: makeRecord({ pool: database.pool, quarantine, metrics, signal, onFailure: onFailureOf('record') }),
    quarantine,
    settle: makeSettle(reservations, onFailure('reservations are not released now; they are swept up later')),
    announce: makeAnnounce({ connection, signal, onFailure: onFailureOf('announce') }),
    metrics,
    lanes: config.writerLanes,
  };
  const pipeline = startPipeline(overrides.steps?.(steps) ?? steps);
  const consumer = new EventConsumer(connection, {
    stream: {
      replicas: config.eventStreamReplicas,
      maxBytes: config.eventStreamMaxBytes,
      keepMs: config.eventKeepHours * 3_600_000,
      ...(overrides.ackWaitMs === undefined ? {} : { ackWaitMs: overrides.ackWaitMs }),
    },
    maxHeld,
    onEvent: pipeline.accept,
    onTrouble: (reason) => logger.warn({ reason }, 'trouble with the event stream'),
  });
  readHeld = () => consumer.held;
  readNotMade = () => consumer.notMade;
  started.defer(async () => {
    readiness.drain();
    await consumer.drain();
    const graceMs = config.shutdownGraceSeconds * 1_000;
    const timer = setTimeout(() => giveUp.abort(), graceMs);
    const isDone = await withTimeout(pipeline.finish(), graceMs + giveUpWithinMs).then(
      () => true,
      () => false,
    );
    clearTimeout(timer);
    if (!isDone) logger.warn({ held: consumer.held }, 'left to other writers');
    consumer.release();
  });

  const running = started.move();
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopping ??= running.disposeAsync();
    return stopping;
  };
  readiness.serve();
  return { url: ops.url, stopWithinMs: toStopLimit(config), stop, [Symbol.asyncDispose]: stop };
}
