import type { Outbox } from '@agp/bus';
import type { AgentTokenOwner } from '@agp/db';
import type { Metering } from '@agp/metering';
import type { IdleSessions, Throttle } from '@agp/reservations';
import type { CallerGuard, Logger, Tracing } from '@agp/runtime';
import type { FairShares } from '@agp/runtime/fairness';
import type { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import type { BodyMemory } from './body/body-memory.ts';
import type { Budget } from './budget/budget.ts';
import type { ProxyConfig } from './config.ts';
import type { DoubtLog } from './events/doubts.ts';
import type { RefusalLog } from './events/refusal-log.ts';
import type { Agent } from './journey.ts';
import type { RunningRequests } from './stop/running-requests.ts';
import type { Storage } from './storage/storage.ts';
import type { ProxyMetrics } from './telemetry/metrics.ts';
import type { PathNotAllowed, UnscannedText } from './telemetry/warnings.ts';

/** Everything that the steps work with, made once by `createContext`. */
export interface ProxyContext {
  config: ProxyConfig;
  /** Refuses requests of other sites' web pages. */
  callers: CallerGuard;
  logger: Logger;
  metrics: ProxyMetrics;
  /** Null if tracing is off. */
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
  /** Reads, prices and scans the content of calls. */
  metering: Metering;
  /** Counts a call whose model has no known price, and logs each provider and model once. */
  reportUnpriced(provider: string, model: string | null): void;
  /** Logs that some text was not scanned, and why. */
  logUnscanned(missed: UnscannedText): void;
  /** Logs which setting would allow the path of a refused request. */
  logPathNotAllowed(refused: PathNotAllowed): void;
  /** Agents by name, without a token. */
  agents: LRUCache<string, Agent>;
  /** Owners of agent tokens by the digest of their secret, in hex. Whether a token still works is read each time. */
  tokens: LRUCache<string, AgentTokenOwner>;
  /** Refused requests on their way into the audit log. */
  refusals: RefusalLog;
  /** Calls whose figures are doubted, on their way to storage. */
  doubts: DoubtLog;
  /** Calls that can be ended while they run. */
  runningRequests: RunningRequests;
  /** Owners of sessions that storage knows, as agent UUIDs by session id. A session never changes hands. */
  sessionOwners: LRUCache<string, string>;
  /** This process, as events name it. */
  producer: string;
  /** Counts of this process. `promised`: places in the outbox for events of requests that run. */
  load: { running: number; promised: number; nextProducerSeq: number };
  /** Memory for request bodies, by agent. */
  bodyMemory: BodyMemory;
  /** Places for requests that are served at once, by agent. */
  places: FairShares;
}
