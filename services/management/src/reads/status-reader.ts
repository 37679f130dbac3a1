import {
  readTime,
  type ServiceState,
  type Status,
  type StatusPart,
  type StatusWindow,
  statusParts,
  type Team,
} from '@agp/core/contracts';
import { parseJson } from '@agp/core/json';
import {
  countAgents,
  countPii,
  countRequestsSince,
  type Db,
  listUsage,
  OutOfTeamError,
  readCapsAndSpend,
  readCapUse,
  readRecordingState,
  readUnpriced,
  StorageUnavailableError,
} from '@agp/db';
import { Gauge, keepReading, type Registry, TimeoutError, withTimeout } from '@agp/runtime';
import { LRUCache } from 'lru-cache';
import { rememberedStatuses } from '../limits.ts';
import { presentRow } from '../presenters.ts';
import { readPauseState } from './reads.ts';

interface StatusSources {
  /** Of the whole installation, or of a team. */
  dbOf(team: Team | null): Db;
  /** Why this process is not ready; empty when it is. */
  reasons(): readonly string[];
  /** Parts that do not answer, without which this process goes on. */
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

/** The time from the end of the latest recorded request until it was recorded. */
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

const idle = (at: Date, now: Date, what: string): Judgement => {
  const from = at.toISOString().slice(0, 16).replace('T', ' ');
  return judged('idle', `${what} since ${now.getTime() - at.getTime() < 24 * hourMs ? from.slice(-5) : from} UTC`);
};

const ago = (ms: number) =>
  ms < 2 * minuteMs ? `${Math.max(0, Math.round(ms / 1_000))} s ago` : `${Math.round(ms / minuteMs)} min ago`;

export type Judgement = Pick<ServiceState, 'state' | 'detail'>;

const judged = (state: ServiceState['state'], detail: string): Judgement => ({ state, detail });

const since = (time: Date | null | undefined, now: Date) => (time ? now.getTime() - time.getTime() : Infinity);

/** By its latest work: nothing else is known of it here. */
export function judgeWriter(recording: Recording): Judgement {
  const { latest, oldest_unsealed, now } = recording;
  const recorded = since(latest?.recorded_at, now);
  const lag = findLag(recording) ?? 0;
  // Writers seal a minute's refusals when it is over.
  const unsealed = oldest_unsealed === null ? 0 : since(oldest_unsealed, now);
  if (unsealed > 5 * minuteMs)
    return judged('not_ready', `refusals of ${ago(unsealed)} are not in the audit log: does a writer run?`);
  if (latest === undefined) return judged('unknown', 'nothing was ever recorded');
  if (recorded > minuteMs) return idle(latest.recorded_at, now, 'nothing recorded, so no requests or no writer');
  if (lag > minuteMs) return judged('not_ready', `records ${Math.round(lag / 1_000)} s after requests end`);
  return judged('ready', `recorded ${ago(recorded)}`);
}

function judgeProxy({ latest, last_refused, now }: Recording): Judgement {
  const served = Math.min(since(latest?.timestamp, now), since(last_refused, now));
  if (served <= minuteMs) return judged('ready', `took a request ${ago(served)}`);
  return Number.isFinite(served)
    ? idle(new Date(now.getTime() - served), now, 'no request')
    : judged('unknown', 'no request is known');
}

const within = <Value>(ms: number, work: Promise<Value>) =>
  withTimeout(work, ms, `no answer within ${ms / 1_000} seconds`);

function describe(error: unknown): string {
  if (error instanceof StorageUnavailableError) return 'storage unavailable';
  if (error instanceof OutOfTeamError) return error.message;
  return error instanceof TimeoutError ? error.message : 'could not be read';
}

async function listSpenders(db: Db, since: Date): Promise<Status['top_spenders']> {
  const rows = await Array.fromAsync(listUsage(db, { groups: ['agent'], from: since, top: 5 }));
  return rows
    .flat()
    .map(({ agent_id, agent_name, total_cost_usd, request_count }) =>
      presentRow({ agent_id, agent_name: agent_name ?? '', cost_usd: total_cost_usd, request_count }),
    ) as Status['top_spenders'];
}

/** Computes the status of each window and team at most once a second, however many ask. */
export class StatusReader {
  readonly #sources: StatusSources;
  readonly #latest = new LRUCache<string, { status: Promise<Status>; at: number }>({ max: rememberedStatuses });

  constructor(sources: StatusSources) {
    this.#sources = sources;
  }

  /** @param team whose agents it is about, without what is of the whole installation; null for all */
  read(window: StatusWindow, team: Team | null = null): Promise<Status> {
    const key = `${window} ${JSON.stringify(team)}`;
    const known = this.#latest.get(key);
    if (known !== undefined && performance.now() - known.at <= keptMs) return known.status;
    const computed = { status: this.#compute(window, team), at: Number.POSITIVE_INFINITY };
    this.#latest.set(key, computed);
    const keep = () => {
      computed.at = performance.now();
    };
    computed.status.then(keep, keep);
    return computed.status;
  }

  async #compute(window: StatusWindow, team: Team | null): Promise<Status> {
    const db = this.#sources.dbOf(team);
    const at = new Date();
    const ofAll = async <Value>(read: (db: Db) => Promise<Value>): Promise<Value> => {
      if (team !== null) throw new OutOfTeamError('of the whole installation');
      return read(db);
    };
    const recording = ofAll(readRecordingState);
    const from = readTime(window, at) as Date;
    const since = new Date(Math.floor(from.getTime() / hourMs) * hourMs);
    const work: { [Name in StatusPart]: Promise<Status[Name]> } = {
      pause: readPauseState(db),
      services: ofAll(() => this.#judgeServices(recording)),
      recording: recording.then((state) => ({
        last_recorded_at: state.latest?.recorded_at.toISOString() ?? null,
        lag_ms: findLag(state),
        quarantine_waiting: state.quarantine_waiting,
      })),
      requests: countRequestsSince(db, since).then((counts) => ({ since: since.toISOString(), ...counts })),
      spend: readCapsAndSpend(db, near),
      top_spenders: listSpenders(db, since),
      agents: countAgents(db).then((agents) => ({
        ...agents,
        latest_blocked: agents.latest_blocked.map((row) => presentRow(row)),
      })),
      pii: countPii(db, since),
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
      () => judged('ready', 'answers'),
      () => judged('not_ready', 'does not answer'),
    );
    const recorded = await within(this.#sources.partMs, recording).catch(() => null);
    const unread = judged('unknown', 'storage could not be read');
    return [
      {
        name: 'management',
        state: reasons.length === 0 ? 'ready' : 'not_ready',
        detail: reasons.join(', ') || (without.length === 0 ? 'answers' : `answers, without ${without.join(', ')}`),
      },
      depends('postgres', 'postgres', 'schema'),
      depends('nats', 'nats'),
      { name: 'redis', ...redis },
      { name: 'writer', ...(recorded ? judgeWriter(recorded) : unread) },
      { name: 'proxy', ...(recorded ? judgeProxy(recorded) : unread) },
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
