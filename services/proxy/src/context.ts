import type { BudgetSet } from '@agp/budgets';
import type { Outbox } from '@agp/bus';
import type { AgentTokenOwner, DocumentAt } from '@agp/db';
import type { Metering } from '@agp/metering';
import type { IdleSessions, SessionValues, Throttle } from '@agp/reservations';
import type { CallerGuard, Logger, Tracing } from '@agp/runtime';
import type { FairShares } from '@agp/runtime/fairness';
import type { LRUCache } from 'lru-cache';
import type { Upstreams } from './answer/upstreams.ts';
import type { BodyMemory } from './body/body-memory.ts';
import type { AnsweredModels } from './budget/answered-models.ts';
import type { Budget } from './budget/budget.ts';
import type { ProxyConfig } from './config.ts';
import type { RefusalLog } from './events/refusal-log.ts';
import type { DoubtLog } from './events/reports.ts';
import type { Identities } from './identity/identities.ts';
import type { Agent } from './identity/workload.ts';
import type { Checks } from './policy/checks.ts';
import type { Rules } from './policy/judge.ts';
import type { BackgroundWork, RunningRequests } from './stop/running-requests.ts';
import type { Storage } from './storage/storage.ts';
import type { Versioned } from './storage/versioned.ts';
import type { ProxyMetrics } from './telemetry/metrics.ts';
import type { Warnings } from './telemetry/warnings.ts';

/** How this proxy is set up, and where it reports. */
export interface Setup {
  config: ProxyConfig;
  logger: Logger;
  metrics: ProxyMetrics;
  warnings: Warnings;
  /** Null if tracing is off. */
  tracing: Tracing | null;
}

/** What outlives this process, or is shared with others. */
export interface Stores {
  storage: Storage;
  budget: Budget;
  outbox: Outbox;
  idleSessions: IdleSessions;
  sessionValues: SessionValues;
  /** New agents per source address. */
  registrations: Throttle;
  /** Exchanged tokens per agent. */
  exchanges: Throttle;
  /** Questions of an agent about itself. */
  ownAsks: Throttle;
  refusals: RefusalLog;
  doubts: DoubtLog;
}

/** What this process knows and shares out among its requests. */
export interface Working {
  /** The name that events have for this process. */
  producer: string;
  /** `promised`: places in the outbox for events of requests that run. */
  load: { running: number; promised: number; nextProducerSeq: number };
  /** What one that was admitted waits for, while few requests run, so that the first of those admitted with it are forwarded sooner. */
  joinGroup: () => Promise<void> | undefined;
  /** Refuses requests of other sites' web pages. */
  callers: CallerGuard;
  upstreams: Upstreams;
  /** Of sessions whose endpoint failed them, by provider and session: the one that served them since, whose cache they filled. */
  movedSessions: LRUCache<string, string>;
  metering: Metering;
  /** Counts a call whose model has no known price, and logs each provider and model once. */
  reportUnpriced(provider: string, model: string | null): void;
  /** Counts figures of an answer that are not understood, and logs each provider's once. */
  reportUnread(provider: string, figures: readonly string[]): void;
  /** Agents by name; the entries hold no token. */
  agents: LRUCache<string, Agent>;
  /** Tokens by the hex digest of their secret. Whether one still works is read each time. */
  tokens: LRUCache<string, AgentTokenOwner>;
  /** Registrations that run, by what they are proven with, and the name. */
  registering: Map<string, Promise<string | null>>;
  /** Issuers of workload identities, and what their tokens prove. */
  identities: Identities;
  /** UUIDs of agents by session, which never changes hands. */
  sessionOwners: LRUCache<string, string>;
  checks: Checks;
  runningRequests: RunningRequests;
  background: BackgroundWork;
  bodyMemory: BodyMemory;
  places: FairShares;
  rules: Rules;
  budgets: Versioned<DocumentAt<'budget'>, BudgetSet>;
  answeredModels: AnsweredModels;
}

/** Everything that the steps work with, made once by `createContext`; each asks for the parts that it uses. */
export interface ProxyContext extends Setup, Stores, Working {}
