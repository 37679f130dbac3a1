import { type DeliveredEvent, eventSubject } from '@agp/bus';
import { acknowledge } from './acknowledge.ts';
import type { Announce } from './announce.ts';
import { decode, type HeldEvent, type Undecodable } from './decode.ts';
import { Lane } from './lane.ts';
import type { WriterMetrics } from './metrics.ts';
import type { Quarantine, Unrecordable } from './quarantine.ts';
import type { RecordBatch } from './record.ts';
import type { Settle } from './settle.ts';

/** The stream was reconfigured to take messages from another subject, whose publishers may not publish events. */
const foreign: Undecodable = { code: 'not_proxied', reason: `the message was not published to ${eventSubject}` };

export interface PipelineSteps {
  record: RecordBatch;
  quarantine: Quarantine;
  settle: Settle;
  announce: Announce;
  metrics: WriterMetrics;
  /** Batches that are recorded at once. */
  lanes: number;
}

export interface Pipeline {
  /** Takes a fetched message, which is acknowledged once it is recorded or set aside. */
  accept(delivered: DeliveredEvent): void;
  /** Records everything accepted so far; call it last. Rejects when the steps give up. */
  finish(): Promise<void>;
}

/**
 * fetch -> decode -> batch (100 events or 100 ms) -> record -> settle -> announce -> acknowledge
 *
 * Fetching calls `accept`, and stops while too many messages are unacknowledged. All events of a session go through one lane, and a
 * lane records one batch at a time: this keeps their order, and two batches of this process never wait for the same session. A message
 * is acknowledged only after its event is committed and announced; after a crash at any point it is delivered again, recorded once, and
 * announced again.
 */
export function startPipeline(steps: PipelineSteps): Pipeline {
  const lanes = Array.from({ length: steps.lanes }, () => new Lane<HeldEvent>());
  const unrecordable = new Lane<Unrecordable>();
  const running = [...lanes.map((lane) => runLane(lane, steps)), runQuarantine(unrecordable, steps.quarantine)];
  // Awaited by `finish`; until then a lane that gave up must not end the process.
  for (const lane of running) lane.catch(() => {});
  return {
    accept: (delivered) => {
      const decoded = delivered.subject === eventSubject ? decode(delivered.bytes, delivered.notes) : foreign;
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
 * Announces and acknowledges batches while the next are being recorded, since NATS answers only after everything it has sent before. The
 * bound on unacknowledged messages bounds how many batches are under way.
 */
async function runLane(lane: Lane<HeldEvent>, { record, settle, announce, metrics }: PipelineSteps): Promise<void> {
  const delivering = new Set<Promise<void>>();
  for (let batch = await lane.next(); batch !== null; batch = await lane.next()) {
    const held = batch;
    const recorded = await metrics.time('record', () => record(held));
    settle(recorded);
    const delivery = metrics.time('announce', () => announce(recorded)).then(() => acknowledge(held));
    delivering.add(delivery);
    // One that rejects stays in the set, for the end to find.
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
