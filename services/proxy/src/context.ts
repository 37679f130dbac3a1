import type { Outbox } from '@agp/bus';
import type { AgentTokenOwner } from '@agp/db';
import type { Metering } from '@agp/metering';
import type { IdleSessions, Throttle } from '@agp/reservations';
import type { CallerGuard, Logger, Tracing } from '@agp/runtime';
import type { FairShares } from '@agp/runtime/fairness';
import type { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import type { BodyMemory } from './body/index.ts';
import type { Budget } from './budget/index.ts';
import type { ProxyConfig } from './config.ts';
import type { DoubtLog } from './events/doubt-log.ts';
import type { RefusalLog } from './events/refusal-log.ts';
import type { Agent } from './journey.ts';
import type { RunningRequests } from './stop/running-requests.ts';
import type { Storage } from './storage/storage.ts';
import type { ProxyMetrics } from './telemetry/metrics.ts';
import type { UnscannedText } from './telemetry/warnings.ts';

/** What the steps work with, made once by `startProxy`. */
export interface ProxyContext {
  config: ProxyConfig;
  /** Keeps web pages of others out. */
  callers: CallerGuard;
  logger: Logger;
  metrics: ProxyMetrics;
  /** Null where tracing is off. */
  tracing: Tracing | null;
  storage: Storage;
  budget: Budget;
  outbox: Outbox;
  idleSessions: IdleSessions;
  /** New agents per source address. */
  registrations: Throttle;
  /** Registrations under way, by whether a token was shown, source address and name. */
  registering: Map<string, Promise<string>>;
  upstream: Dispatcher;
  /** Reads, prices and scans what calls hold. */
  metering: Metering;
  /** Counts a call whose model has no known price, and logs each provider and model once. */
  reportUnpriced(provider: string, model: string | null): void;
  /** Tells the log of a text that was not scanned, and why. */
  logUnscanned(missed: UnscannedText): void;
  /** Agents by name, without a token. */
  agents: LRUCache<string, Agent>;
  /** Owners of agent tokens by the digest of their secret, in hex. Whether a token still works is read each time. */
  tokens: LRUCache<string, AgentTokenOwner>;
  /** Refused requests on their way into the audit log. */
  refusals: RefusalLog;
  /** Calls whose figures are doubted, on their way to storage. */
  doubts: DoubtLog;
  /** What can be ended while it runs. */
  runningRequests: RunningRequests;
  /** Owners of sessions that storage knows, as agent UUIDs by session id. A session never changes hands. */
  sessionOwners: LRUCache<string, string>;
  /** This process, as events name it. */
  producer: string;
  /** What is going on in this process now. */
  load: { running: number; forwarded: number; nextProducerSeq: number };
  /** What bodies take of it, by agent. */
  bodyMemory: BodyMemory;
  /** How many requests may be served at once, by agent. */
  places: FairShares;
}
