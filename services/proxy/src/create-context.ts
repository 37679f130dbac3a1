import { randomUUIDv7 } from 'node:crypto';
import { prepareHeld } from '@agp/budgets';
import { type BusConnection, Outbox } from '@agp/bus';
import { toPublicId, uuidOf } from '@agp/core/ids';
import { addDoubtfulUsage, addRefusals, type Pool } from '@agp/db';
import { createMetering } from '@agp/metering';
import {
  createBudgetReservations,
  createIdleSessions,
  createSessionValues,
  createThrottle,
  type Redis,
} from '@agp/reservations';
import { createCallerGuard } from '@agp/runtime';
import { createEgress } from '@agp/runtime/egress';
import { FairShares, makeGroups } from '@agp/runtime/fairness';
import { GuardedReader } from '@agp/runtime/guarded-reader';
import { LRUCache } from 'lru-cache';
import { Upstreams } from './answer/upstreams.ts';
import { AnsweredModels } from './budget/answered-models.ts';
import { Budget } from './budget/budget.ts';
import type { ProxyContext, Setup, Working } from './context.ts';
import { RefusalLog } from './events/refusal-log.ts';
import { DoubtLog, reportUnpriced, reportUnread } from './events/reports.ts';
import { listEndpoints } from './head/endpoints.ts';
import { Identities } from './identity/identities.ts';
import { exchangedTokens, issuerTimeoutMs, ownAsksPerMinute, rememberedAgents, rememberedSessions } from './limits.ts';
import { createChecks } from './policy/checks.ts';
import { prepareRules } from './policy/judge.ts';
import { BackgroundWork, RunningRequests } from './stop/running-requests.ts';
import { createStorage } from './storage/storage.ts';
import { Versioned } from './storage/versioned.ts';

/** If more requests run than this, those admitted together go on at once: that costs less, but each is forwarded later. */
const calm = 32;

interface Connections {
  pool: Pool;
  /** For what is written. */
  writes: Pool;
  bus: BusConnection;
  redis: Redis;
  budgetRedis: Redis;
}

/** Nothing is sent before the first request. */
export function createContext(
  setup: Setup & Pick<Working, 'load' | 'bodyMemory'>,
  { pool, writes, bus, redis, budgetRedis }: Connections,
): ProxyContext & AsyncDisposable {
  const { config, logger, metrics, warnings } = setup;
  const storage = createStorage(pool, warnings.storageUnreadable, writes);
  const budget = new Budget({
    shared: createBudgetReservations(budgetRedis),
    storage,
    isStrict: config.budget === 'strict',
    onFailure: (error) => {
      metrics.budgetFallbacks.inc();
      warnings.budgetsAlone(error);
    },
    onEvicting: () => warnings.redisMayEvict(null),
    onHeld: (cap) => metrics.refusedWithRoom.inc({ cap }),
  });
  const outbox = new Outbox(bus, {
    onConfirm: (ids) => {
      for (const id of ids) budget.confirm(uuidOf('evt', id));
    },
    onDrop: () => {
      metrics.droppedEvents.inc();
      warnings.eventLost(null);
    },
    onRefusal: (description) => {
      metrics.refusedEvents.inc();
      warnings.eventsRefused(description);
    },
  });
  const egress = createEgress(config);
  const issuers = new GuardedReader({
    allowedHosts: config.identityAllowedHosts,
    setting: 'IDENTITY_ALLOWED_HOSTS',
    timeoutMs: issuerTimeoutMs,
    egress,
  });
  const upstreams = new Upstreams(listEndpoints(config.providers), config.upstreamTimeoutSeconds * 1_000, warnings);
  const joinGroup = makeGroups();
  const context: ProxyContext = {
    ...setup,
    joinGroup: () => (setup.load.running <= calm ? joinGroup() : undefined),
    storage,
    budget,
    outbox,
    upstreams,
    movedSessions: new LRUCache({ max: rememberedSessions }),
    producer: toPublicId('prx', randomUUIDv7()),
    callers: createCallerGuard(config),
    tokens: new LRUCache({ max: rememberedAgents }),
    agents: new LRUCache({ max: rememberedAgents }),
    sessionOwners: new LRUCache({ max: rememberedSessions }),
    answeredModels: new AnsweredModels(),
    registering: new Map(),
    identities: new Identities({
      read: (deadline) => storage.readDocuments('identity', deadline),
      readVersion: storage.readIdentityVersion,
      readJson: (url, max) => issuers.read(url, max),
      onUnreadable: warnings.issuerUnreadable,
    }),
    registrations: createThrottle(redis, {
      name: 'registrations',
      points: config.maxRegistrationsPerMinute,
      durationSeconds: 60,
    }),
    exchanges: createThrottle(redis, {
      ...{ name: 'exchanges', points: exchangedTokens.perHour, durationSeconds: 3_600 },
    }),
    // Its name begins with one that Redis lets proxies count under.
    ownAsks: createThrottle(redis, { name: 'exchanges:asks', points: ownAsksPerMinute, durationSeconds: 60 }),
    places: new FairShares({ max: config.maxConnections }),
    rules: new Versioned({
      read: (deadline) => storage.readDocuments('policy', deadline),
      prepare: prepareRules,
      onUnreadable: warnings.policyUnreadable,
    }),
    budgets: new Versioned({
      read: (deadline) => storage.readDocuments('budget', deadline),
      prepare: ({ version, rows }) => prepareHeld(version, rows),
      onUnreadable: warnings.budgetUnreadable,
    }),
    idleSessions: createIdleSessions(redis, {
      idleSeconds: config.sessionIdleSeconds,
      onFailure: warnings.sessionsAlone,
    }),
    checks: createChecks({
      readSecrets: () => config.checkSecret,
      allowedHosts: config.checkAllowedHosts,
      egress,
      onResult: (result) => metrics.checks.inc({ result }),
      onFailure: warnings.checkFailed,
    }),
    sessionValues: createSessionValues(budgetRedis),
    runningRequests: new RunningRequests(),
    background: new BackgroundWork({ upstreams, logger, onKilled: (reason) => metrics.killed.inc({ reason }) }),
    metering: createMetering({
      prices: config.prices,
      isStrict: config.budget === 'strict',
      maxRequestBytes: config.maxRequestBytes,
      pii: config.piiScan === 'off' ? null : { personNames: config.piiPersonNames, budgetMs: config.piiBudgetMs },
      onTokenizerError: ({ message }) =>
        logger.error({ error: message }, 'the tokenizer failed; tokens are estimated roughly'),
      onScannerError: ({ message }) => logger.error({ error: message }, 'the PII scanner failed'),
    }),
    refusals: new RefusalLog({
      store: (counts) => addRefusals(writes, counts),
      onFailure: warnings.refusalsKept,
      onDrop: (count) => metrics.uncountedRefusals.inc(count),
    }),
    doubts: new DoubtLog({ store: (rows) => addDoubtfulUsage(writes, rows), onFailure: warnings.doubtsKept }),
    reportUnpriced: reportUnpriced({ metrics, logger }),
    reportUnread: reportUnread({ metrics, logger }),
  };
  budgetRedis.on('ready', () => budget.reconnect());
  const { checks, refusals, doubts, metering } = context;
  return {
    ...context,
    async [Symbol.asyncDispose]() {
      outbox.stop();
      await Promise.all([budget.stop(), refusals.stop(), doubts.stop()]);
      await Promise.all([upstreams.close(), issuers.close(), checks.stop(), metering.stop()]);
    },
  };
}
