import { randomUUIDv7 } from 'node:crypto';
import { toPublicId } from '@agp/core/ids';
import { createPiiScanner, createTokenEstimator, maxInspected } from '@agp/metering';
import { createFindModelBounds, createPriceUsage } from '@agp/pricing';
import { createIdleSessions, createThrottle, type Redis } from '@agp/reservations';
import { createCallerGuard } from '@agp/runtime';
import { FairShares } from '@agp/runtime/fairness';
import { LRUCache } from 'lru-cache';
import type { ProxyContext } from './context.ts';
import { reportUnpriced } from './events/report-unpriced.ts';
import type { createWarnings } from './telemetry/warnings.ts';

const rememberedAgents = 50_000;
const rememberedSessions = 100_000;

type Connected =
  | 'config'
  | 'logger'
  | 'metrics'
  | 'tracing'
  | 'outbox'
  | 'upstream'
  | 'load'
  | 'bodyMemory'
  | 'storage'
  | 'budget'
  | 'refusals'
  | 'doubts'
  | 'runningRequests';

/** What every request of this process is handled with: what is connected, and what it keeps in memory. */
export function createContext(
  connected: Pick<ProxyContext, Connected>,
  redis: Redis,
  warnings: ReturnType<typeof createWarnings>,
): ProxyContext {
  const { config, logger, metrics } = connected;
  return {
    ...connected,
    callers: createCallerGuard(config),
    tokens: new LRUCache({ max: rememberedAgents }),
    agents: new LRUCache({ max: rememberedAgents }),
    sessionOwners: new LRUCache({ max: rememberedSessions }),
    registering: new Map(),
    places: new FairShares({ max: config.maxConnections }),
    producer: toPublicId('prx', randomUUIDv7()),
    idleSessions: createIdleSessions(redis, {
      idleSeconds: config.sessionIdleSeconds,
      onFailure: warnings.sessionsAlone,
    }),
    registrations: createThrottle(redis, {
      name: 'registrations',
      points: config.maxRegistrationsPerMinute,
      durationSeconds: 60,
    }),
    inspection: new FairShares({ max: maxInspected }),
    estimator: createTokenEstimator({
      onWorkerError: (error) =>
        logger.error({ error: error.message }, 'the tokenizer failed; tokens are estimated roughly'),
    }),
    priceUsage: createPriceUsage({ file: config.prices }),
    findModelBounds: createFindModelBounds({ file: config.prices }),
    reportUnpriced: reportUnpriced({ metrics, logger }),
    piiScanner:
      config.piiScan === 'off'
        ? null
        : createPiiScanner({
            personNames: config.piiPersonNames,
            budgetMs: config.piiBudgetMs,
            onWorkerError: (error) => logger.error({ error: error.message }, 'the PII scanner failed'),
          }),
    logUnscanned: warnings.textUnscanned,
  };
}
