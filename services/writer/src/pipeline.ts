import { type DeliveredEvent, eventSubject } from '@agp/bus';
import type { EventMessage } from '@agp/core/events';
import { acknowledge } from './acknowledge.ts';
import type { Announce } from './announce.ts';
import { Lane } from './batch.ts';
import { decode, type Undecodable } from './decode.ts';
import type { WriterMetrics } from './metrics.ts';
import type { Quarantine, Unrecordable } from './quarantine.ts';
import type { Record } from './record.ts';
import type { Settle } from './settle.ts';

/** What somebody has made the stream take in from elsewhere: it may come from who may not publish events. */
const foreign: Undecodable = { code: 'not_proxied', reason: `the message was not published to ${eventSubject}` };

/** A message on its way to Postgres. */
export interface HeldEvent {
  event: EventMessage;
  delivered: DeliveredEvent;
}

export interface PipelineSteps {
  record: Record;
  quarantine: Quarantine;
  settle: Settle;
  announce: Announce;
  metrics: WriterMetrics;
  /** Batches that are recorded at once. */
  lanes: number;
}

export interface Pipeline {
  /** Takes a fetched message; it is acknowledged once it is recorded or set aside. */
  accept(delivered: DeliveredEvent): void;
  /** Records what was accepted; nothing may be accepted after it. Rejects when the steps were told to give up. */
  finish(): Promise<void>;
}

/**
 * fetch -> decode -> batch (100 events or 100 ms) -> record -> settle -> announce -> acknowledge
 *
 * Fetching calls `accept` and is bounded by what is unacknowledged. A session's events all go through one lane, and
 * a lane records one batch at a time: so their order is kept, and two batches of this process never wait for the
 * same session. A message is acknowledged after its event is committed and announced, and not before; a crash at any
 * point means that it is delivered again, recorded once, and announced again.
 */
export function startPipeline(steps: PipelineSteps): Pipeline {
  const lanes = Array.from({ length: steps.lanes }, () => new Lane<HeldEvent>());
  const unrecordable = new Lane<Unrecordable>();
  const running = [...lanes.map((lane) => runLane(lane, steps)), runQuarantine(unrecordable, steps.quarantine)];
  // Awaited by `finish`; until then a lane that gave up must not end the process.
  for (const lane of running) lane.catch(() => {});
  return {
    accept: (delivered) => {
      const decoded = delivered.subject === eventSubject ? decode(delivered.bytes) : foreign;
      if ('event' in decoded) {
        lanes[laneOf(decoded.event.session_id, lanes.length)]?.add({ event: decoded.event, delivered });
      } else {
        unrecordable.add({ delivered, ...decoded });
      }
    },
    finish: async () => {
      for (const lane of [...lanes, unrecordable]) lane.close();
      await Promise.all(running);
    },
  };
}

/**
 * While batches are announced and acknowledged, the next are already being recorded: NATS answers after all that it has
 * sent before, which can be much. How many are under way is bounded by what may be unacknowledged.
 */
async function runLane(lane: Lane<HeldEvent>, { record, settle, announce, metrics }: PipelineSteps): Promise<void> {
  const delivering = new Set<Promise<void>>();
  for (let batch = await lane.next(); batch !== null; batch = await lane.next()) {
    const held = batch;
    const recorded = await metrics.time('record', () => record(held));
    settle(recorded);
    const delivery = metrics.time('announce', () => announce(recorded)).then(() => acknowledge(held));
    delivering.add(delivery);
    // One that gives up is still in the set for the end to find.
    delivery.then(
      () => delivering.delete(delivery),
      () => {},
    );
  }
  await Promise.all(delivering);
}

async function runQuarantine(lane: Lane<Unrecordable>, quarantine: Quarantine): Promise<void> {
  for (let batch = await lane.next(); batch !== null; batch = await lane.next()) {
    await quarantine(batch);
    acknowledge(batch);
  }
}

/** FNV-1a over the session id: the same lane each time, and sessions spread evenly. */
function laneOf(sessionId: string, lanes: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < sessionId.length; index += 1) {
    hash = Math.imul(hash ^ sessionId.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % lanes;
}
