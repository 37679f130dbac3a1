import { type EventMessage, toEventText } from '@agp/core/events';
import { uuidOf } from '@agp/core/ids';
import type { FoundDoubt } from '@agp/db';
import type { Measurement } from '@agp/metering';
import { hideCredentials } from '@agp/pii/hide-credentials';
import type { Logger } from '@agp/runtime';
import type { AdmittedRequest } from '../journey.ts';
import { loggedModels, maxModelName, namedFigures, waitingDoubts } from '../limits.ts';
import type { ProxyMetrics } from '../telemetry/metrics.ts';
import { BatchLog } from './batch-log.ts';

const rowsAtOnce = 100;
/** Tries of one batch, some minutes altogether; the metric has counted its rows. */
const tries = 300;

/** Storage may get the same row twice. No agent fills the log alone. */
export class DoubtLog extends BatchLog<FoundDoubt> {
  #waiting: FoundDoubt[] = [];

  add(doubt: FoundDoubt): void {
    const ofAgent = this.#waiting.filter(({ agentId }) => agentId === doubt.agentId).length;
    if (ofAgent < waitingDoubts.ofAgent && this.#waiting.length < waitingDoubts.all) this.#waiting.push(doubt);
  }

  protected take(): FoundDoubt[] {
    return this.#waiting.splice(0, rowsAtOnce);
  }

  protected putBack(rows: FoundDoubt[], failures: number): void {
    if (failures % tries !== 0) this.#waiting.unshift(...rows);
  }
}

export function reportDoubt(
  { metrics, doubts }: { metrics: ProxyMetrics; doubts: DoubtLog },
  { head, agent }: AdmittedRequest,
  event: EventMessage,
  { doubt }: Measurement,
): void {
  if (doubt === null) return;
  metrics.doubtful.inc({ reason: doubt.reason });
  doubts.add({
    eventId: uuidOf('evt', event.id),
    agentId: agent.uuid,
    sessionId: event.session_id,
    provider: event.provider,
    model: event.model,
    reason: doubt.reason,
    claimedPromptTokens: doubt.promptTokens,
    claimedCompletionTokens: doubt.completionTokens,
    claimedCostNanoUsd: doubt.costNanoUsd,
    costNanoUsd: event.cost_nano_usd,
    occurredAt: head.timestamp,
  });
}

const modelName = /^[A-Za-z0-9][\w.:/@+-]{0,127}$/;

/** Callers choose the name, so one that does not look like a model's is not quoted. */
function toLoggedModel(name: string): string {
  return modelName.test(name) && hideCredentials(name) === name
    ? name
    : `a name of ${name.length} characters, not shown`;
}

/**
 * Each call without a known price counts, and the first of a provider and model is logged, up to `maxModels`: names come from callers.
 */
export function reportUnpriced(
  { metrics, logger }: { metrics: Pick<ProxyMetrics, 'unpriced'>; logger: Pick<Logger, 'warn'> },
  maxModels = loggedModels,
): (provider: string, model: string | null) => void {
  const logged = new Set<string>();
  return (provider, model) => {
    metrics.unpriced.inc({ provider });
    if (logged.size > maxModels) return;
    // The model as the event names it: the log and the list of unpriced models agree.
    const name = toEventText(model || 'unknown', maxModelName);
    const key = `${provider}\0${name}`;
    if (logged.has(key)) return;
    logged.add(key);
    if (logged.size > maxModels)
      logger.warn({ maxModels }, 'more models have no known price: no further ones are logged');
    else
      logger.warn(
        { provider, model: toLoggedModel(name) },
        'this model has no known price: its calls are recorded with cost 0',
      );
  };
}

const figureName = /^[A-Za-z][\w.-]{0,63}$/;

/** The provider chooses the names: others than plain ones, and those beyond `maxFigures`, count as `other`. */
export function reportUnread(
  { metrics, logger }: { metrics: Pick<ProxyMetrics, 'unreadFigures'>; logger: Pick<Logger, 'warn'> },
  maxFigures = namedFigures,
): (provider: string, figures: readonly string[]) => void {
  const named = new Set<string>();
  return (provider, figures) => {
    for (const name of figures) {
      const key = `${provider} ${name}`;
      const isPlain = figureName.test(name) && hideCredentials(name) === name;
      const isKnown = named.has(key);
      const isNamed = isPlain && (isKnown || named.size < maxFigures);
      metrics.unreadFigures.inc({ provider, figure: isNamed ? name : 'other' });
      if (!isNamed || isKnown) continue;
      named.add(key);
      logger.warn({ provider, figure: name }, 'a figure of an answer is not understood: it may be billed');
    }
  };
}
