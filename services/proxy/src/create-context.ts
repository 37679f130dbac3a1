import { randomUUIDv7 } from 'node:crypto';
import { toPublicId } from '@agp/core/ids';
import { createMetering } from '@agp/metering';
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
    metering: createMetering({
      prices: config.prices,
      isStrict: config.budget === 'strict',
      defaultOutputTokens: config.budgetDefaultOutputTokens,
      unpricedNanoUsd: Math.round(config.budgetUnpricedUsd * 1e9),
      pii: config.piiScan === 'off' ? null : { personNames: config.piiPersonNames, budgetMs: config.piiBudgetMs },
      onTokenizerError: ({ message }) =>
        logger.error({ error: message }, 'the tokenizer failed; tokens are estimated roughly'),
      onScannerError: ({ message }) => logger.error({ error: message }, 'the PII scanner failed'),
    }),
    reportUnpriced: reportUnpriced({ metrics, logger }),
    logUnscanned: warnings.textUnscanned,
  };
}
