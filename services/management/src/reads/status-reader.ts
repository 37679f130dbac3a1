import { type ServiceState, type Status, type StatusPart, statusParts } from '@agp/core/contracts';
import { parseJson } from '@agp/core/json';
import {
  countAgents,
  countPii,
  countRequestsSince,
  type Db,
  listTopSpenders,
  readCapsAndSpend,
  readCapUse,
  readControl,
  readRecordingState,
  readUnpriced,
  StorageUnavailableError,
} from '@agp/db';
import { Gauge, keepReading, type Registry } from '@agp/runtime';
import { presentRow } from '../presenters.ts';
import { today } from '../requests.ts';

interface StatusSources {
  db: Db;
  /** Why this process is not ready; empty when it is. */
  reasons(): readonly string[];
  /** What it does without, and does not answer. */
  without(): readonly string[];
  pingRedis(): Promise<unknown>;
  /** How long one part may take, in milliseconds. */
  partMs: number;
}

const keptMs = 1_000;
const near = 0.8;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

type Recording = Awaited<ReturnType<typeof readRecordingState>>;

/** From the end of the latest recorded request until it was recorded. */
function findLag({ latest }: Recording): number | null {
  if (latest === undefined) return null;
  let duration: unknown = 0;
  try {
    duration = (parseJson(latest.payload) as { duration_ms?: unknown } | null)?.duration_ms;
  } catch {
    // Somebody broke the payload: `verify` tells that.
  }
  const lag = latest.recorded_at.getTime() - latest.timestamp.getTime() - (typeof duration === 'number' ? duration : 0);
  return Math.max(0, Math.round(lag));
}

const ago = (ms: number) =>
  ms < 2 * minuteMs ? `${Math.max(0, Math.round(ms / 1_000))} s ago` : `${Math.round(ms / minuteMs)} min ago`;

/** By their latest work: nothing else is known of them here. */
function judgeWorkers(recording: Recording): Pick<ServiceState, 'state' | 'detail' | 'name'>[] {
  const { latest, oldest_unsealed, last_refused, now } = recording;
  const since = (time: Date | null | undefined) => (time ? now.getTime() - time.getTime() : Number.POSITIVE_INFINITY);
  const recorded = since(latest?.recorded_at);
  const lag = findLag(recording) ?? 0;
  // Writers seal a minute's refusals when it is over.
  const unsealed = since(oldest_unsealed);
  const isLate = oldest_unsealed !== null && unsealed > 5 * minuteMs;
  const writer = isLate
    ? {
        state: 'not_ready' as const,
        detail: `refusals of ${ago(unsealed)} are not in the audit log: does a writer run?`,
      }
    : recorded > minuteMs
      ? {
          state: 'unknown' as const,
          detail:
            latest === undefined
              ? 'nothing was ever recorded'
              : `recorded last ${ago(recorded)}: no requests since, or no writer`,
        }
      : lag > minuteMs
        ? { state: 'not_ready' as const, detail: `records ${Math.round(lag / 1_000)} s after requests end` }
        : { state: 'ready' as const, detail: `recorded ${ago(recorded)}` };
  const served = Math.min(since(latest?.timestamp), since(last_refused));
  const proxy =
    served <= minuteMs
      ? { state: 'ready' as const, detail: `took a request ${ago(served)}` }
      : {
          state: 'unknown' as const,
          detail: Number.isFinite(served) ? `took its last known request ${ago(served)}` : 'no request is known',
        };
  return [
    { name: 'writer', ...writer },
    { name: 'proxy', ...proxy },
  ];
}

class LateError extends Error {}

/** The work goes on, but nobody waits for it. */
async function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new LateError(`no answer within ${ms / 1_000} seconds`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function describe(error: unknown): string {
  if (error instanceof StorageUnavailableError) return 'storage unavailable';
  return error instanceof LateError ? error.message : 'could not be read';
}

/** Computes the status at most once a second, however many ask. */
export class StatusReader {
  readonly #sources: StatusSources;
  #latest: Promise<Status> | null = null;
  #latestAt = 0;

  constructor(sources: StatusSources) {
    this.#sources = sources;
  }

  read(): Promise<Status> {
    if (this.#latest === null || performance.now() - this.#latestAt > keptMs) {
      this.#latestAt = Number.POSITIVE_INFINITY;
      this.#latest = this.#compute().finally(() => {
        this.#latestAt = performance.now();
      });
    }
    return this.#latest;
  }

  async #compute(): Promise<Status> {
    const { db } = this.#sources;
    const at = new Date();
    const day = today();
    const recording = readRecordingState(db);
    const since = new Date(Math.floor(at.getTime() / hourMs) * hourMs - hourMs);
    const work: { [Name in StatusPart]: Promise<Status[Name]> } = {
      pause: readControl(db).then(({ paused }) => ({ paused })),
      services: this.#judgeServices(recording),
      recording: recording.then((state) => ({
        last_recorded_at: state.latest?.recorded_at.toISOString() ?? null,
        lag_ms: findLag(state),
        quarantine_waiting: state.quarantine_waiting,
      })),
      requests: countRequestsSince(db, since).then((counts) => ({ since: since.toISOString(), ...counts })),
      spend: readCapsAndSpend(db, near),
      top_spenders: listTopSpenders(db, day).then((rows) => rows.map((row) => presentRow(row))),
      agents: countAgents(db).then((agents) => ({
        ...agents,
        latest_blocked: agents.latest_blocked.map((row) => presentRow(row)),
      })),
      pii_today: countPii(db, new Date(`${day}T00:00:00Z`)),
      unpriced_models: readUnpriced(db).then(({ count, latest }) => ({
        count,
        latest: latest.map((row) => presentRow(row)),
      })),
    };
    const unavailable: Status['unavailable'] = [];
    const parts = await Promise.all(
      (Object.keys(statusParts) as StatusPart[]).map(async (part) => {
        const value = await within<unknown>(this.#sources.partMs, work[part]).catch((error: unknown) => {
          unavailable.push({ part, error: describe(error) });
          return null;
        });
        return [part, value];
      }),
    );
    return { at: at.toISOString(), ...Object.fromEntries(parts), unavailable } as Status;
  }

  async #judgeServices(recording: Promise<Recording>): Promise<ServiceState[]> {
    const reasons = this.#sources.reasons();
    const without = this.#sources.without();
    const depends = (name: 'postgres' | 'nats', ...checks: string[]): ServiceState => {
      const failing = checks.filter((check) => reasons.includes(check) || without.includes(check));
      return {
        name,
        state: failing.length === 0 ? 'ready' : 'not_ready',
        detail: failing.length === 0 ? 'answers' : `does not pass: ${failing.join(', ')}`,
      };
    };
    const redis = await within(this.#sources.partMs, this.#sources.pingRedis()).then(
      (): ServiceState => ({ name: 'redis', state: 'ready', detail: 'answers' }),
      (): ServiceState => ({ name: 'redis', state: 'not_ready', detail: 'does not answer' }),
    );
    const workers = await within(this.#sources.partMs, recording).then(judgeWorkers, (): ServiceState[] =>
      (['writer', 'proxy'] as const).map((name) => ({ name, state: 'unknown', detail: 'storage could not be read' })),
    );
    return [
      {
        name: 'management',
        state: reasons.length === 0 ? 'ready' : 'not_ready',
        detail: reasons.join(', ') || (without.length === 0 ? 'answers' : `answers, without ${without.join(', ')}`),
      },
      depends('postgres', 'postgres', 'schema'),
      depends('nats', 'nats'),
      redis,
      ...workers,
    ];
  }
}

/**
 * Updates gauges of the use of today's caps once a minute, without agents as labels. While Postgres does not answer they keep their values.
 */
export function watchCapUse(db: Db, registry: Registry): () => Promise<void> {
  const gauge = (name: string, help: string) => {
    const made = new Gauge({ name, help, registers: [registry] });
    // Absent until first read: a 0 would hide an alarm.
    made.remove();
    return made;
  };
  const agentsNear = gauge(
    'agp_management_agents_near_daily_cap',
    'Active agents that have spent 80 % of their daily cap or more',
  );
  const agentsAt = gauge('agp_management_agents_at_daily_cap', 'Active agents that have spent all of their daily cap');
  const globalRatio = gauge(
    'agp_management_global_daily_cap_used_ratio',
    'Spent part of the daily cap of all agents together; absent without one',
  );
  return keepReading({
    read: () => readCapUse(db, near),
    show(use) {
      agentsNear.set(use.agents_near);
      agentsAt.set(use.agents_at);
      if (use.global_ratio === null) globalRatio.remove();
      else globalRatio.set(use.global_ratio);
    },
  });
}
