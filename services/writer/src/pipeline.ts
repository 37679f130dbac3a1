import { type DeliveredEvent, eventSubject } from '@agp/bus';
import { uuidOf } from '@agp/core/ids';
import type { RecordedEvents } from '@agp/db';
import type { BudgetReservations } from '@agp/reservations';
import type { Announce } from './announce.ts';
import { decode, type HeldEvent, type Undecodable } from './decode.ts';
import { type Batch, Lanes } from './lanes.ts';
import type { WriterMetrics } from './metrics.ts';
import type { Quarantine, Unrecordable } from './quarantine.ts';
import type { RecordBatch } from './record.ts';

/** A message whose acknowledgement is lost is delivered again, and recognized then. */
export function acknowledge(batch: readonly { delivered: DeliveredEvent }[]): void {
  for (const { delivered } of batch) delivered.acknowledge();
}

type Settle = (recorded: RecordedEvents) => void;

/** After the commit a reservation would count the cost twice. A release that Redis missed is made by a later sweep. */
export function makeSettle(reservations: BudgetReservations, onFailure: (error: Error) => void): Settle {
  return ({ recorded, known }) => {
    const settled = [...recorded, ...known].map(({ event }) => ({
      eventId: uuidOf('evt', event.id),
      day: event.timestamp.slice(0, 10),
    }));
    if (settled.length > 0) reservations.release(settled).catch(onFailure);
  };
}

/** Publishers of another subject may not publish events. */
const foreign: Undecodable = { code: 'not_proxied', reason: `the message was not published to ${eventSubject}` };

export interface PipelineSteps {
  record: RecordBatch;
  quarantine: Quarantine;
  settle: Settle;
  announce: Announce;
  metrics: WriterMetrics;
  lanes: number;
}

interface Pipeline {
  /** The message is acknowledged once it is recorded or set aside. */
  accept(delivered: DeliveredEvent): void;
  /** Call it last; rejects when the steps give up. */
  finish(): Promise<void>;
}

/**
 * fetch -> decode -> batch (100 events or 100 ms) -> record -> settle -> announce -> acknowledge
 *
 * Events of a session go through one lane, and a lane is in one batch at a time: this keeps their order. A message is acknowledged only
 * after commit and announcement; after a crash it is delivered again, recorded once, and announced again.
 */
export function startPipeline(steps: PipelineSteps): Pipeline {
  const events = new Lanes<HeldEvent>(steps.lanes);
  const unrecordable = new Lanes<Unrecordable>(1);
  const running = [
    runBatches(events, (batch) => recordBatch(batch, steps)),
    runBatches(unrecordable, (batch) => setAside(batch, steps.quarantine)),
  ];
  // Awaited by `finish`; until then a batch that was given up must not end the process.
  for (const batches of running) batches.catch(() => {});
  return {
    accept: (delivered) => {
      const decoded = delivered.subject === eventSubject ? decode(delivered.bytes) : foreign;
      if ('event' in decoded) events.add(laneOf(decoded.event.session_id, steps.lanes), { ...decoded, delivered });
      else unrecordable.add(0, { delivered, ...decoded });
    },
    finish: async () => {
      for (const lanes of [events, unrecordable]) lanes.close();
      await Promise.all(running);
    },
  };
}

/** Rejects once a batch is given up: recording what comes after would change a session's order. */
async function runBatches<Item>(lanes: Lanes<Item>, handle: (batch: Batch<Item>) => Promise<void>): Promise<void> {
  const underWay = new Set<Promise<void>>();
  for (;;) {
    const batch = await lanes.next();
    if (batch === null) break;
    const handled = handle(batch);
    underWay.add(handled);
    // One that rejects stays, for the end to find.
    handled.then(
      () => underWay.delete(handled),
      () => lanes.clear(),
    );
  }
  await Promise.all(underWay);
}

/** Announces and acknowledges while the lanes go on: NATS answers only after everything it has sent before. */
async function recordBatch(
  { items, release }: Batch<HeldEvent>,
  { record, settle, announce, metrics }: PipelineSteps,
): Promise<void> {
  const recorded = await metrics.time('record', () => record(items));
  settle(recorded);
  release();
  await metrics.time('announce', () => announce(recorded));
  acknowledge(items);
}

async function setAside({ items, release }: Batch<Unrecordable>, quarantine: Quarantine): Promise<void> {
  await quarantine(items);
  acknowledge(items);
  release();
}

/** FNV-1a over the session id: the same lane each time, and sessions spread evenly. */
function laneOf(sessionId: string, lanes: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < sessionId.length; index += 1) {
    hash = Math.imul(hash ^ sessionId.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % lanes;
}
