import type { UnscannedReason } from '@agp/metering';
import { type Logger, logErrorsSparsely, logSparsely } from '@agp/runtime';
import type { EgressProxyError } from '@agp/runtime/egress';

import type { CheckFailure } from '../policy/checks.ts';

interface UnscannedText {
  eventId: string;
  reason: UnscannedReason;
}

interface PathNotAllowed {
  requestId: string;
  agentId: string;
  provider: string;
  method: string;
  /** Null if it may not be shown. */
  path: string | null;
}

export type Warnings = ReturnType<typeof createWarnings>;

/** Faults that may affect every request: one line in a while, with the number of lines held back. */
export function createWarnings(logger: Logger) {
  const onError = (level: 'warn' | 'error', message: string) => logErrorsSparsely(logger, level, message);
  return {
    tracesLost: onError('warn', 'traces cannot be sent; they are lost'),
    refusalsKept: onError('warn', 'refused requests are not in the audit log yet; they are kept and tried again'),
    doubtsKept: onError('warn', 'calls with doubtful figures are not stored yet; they are tried again'),
    keysNotNoted: onError('warn', 'uses of provider keys are not noted yet; they are tried again'),
    usageRefused: logSparsely((provider: string, heldBack) =>
      logger.warn(
        { provider, heldBack },
        'the provider refuses stream_options and is not asked for the usage of streams any more: set its ask_usage to false',
      ),
    ),
    pricesRefused: onError('warn', 'PRICES_FILE is refused as a whole: calls are charged by what was read before'),
    sessionsAlone: onError('warn', 'idle sessions are kept by this process alone'),
    budgetsAlone: onError('warn', 'budgets are kept by this process alone'),
    redisMayEvict: logSparsely(
      (_: null, heldBack) =>
        logger.warn(
          { heldBack },
          'Redis may drop reservations when its memory is full: set its maxmemory-policy to noeviction',
        ),
      600_000,
    ),
    storageUnreadable: onError('error', 'storage cannot be read: requests are refused'),
    eventLost: logSparsely((_: null, heldBack) => logger.error({ heldBack }, 'the outbox is full: an event was lost')),
    eventsRefused: logSparsely((description: string, heldBack) =>
      logger.error({ description, heldBack }, 'JetStream refuses events; they are sent again'),
    ),
    pathNotAllowed: logSparsely((refused: PathNotAllowed, heldBack) =>
      logger.warn(
        { ...refused, heldBack },
        `path not allowed: with a configured key only those of allow_paths of provider ${refused.provider} in PROVIDERS_FILE are`,
      ),
    ),
    policyUnreadable: onError('error', 'requests are refused until this proxy is of that version too'),
    budgetUnreadable: onError('error', 'requests are refused until this proxy is of that version too'),
    checkFailed: logSparsely((failure: CheckFailure, heldBack) =>
      logger.warn({ ...failure, heldBack }, "a policy's check failed; its on_failure decides"),
    ),
    egressFailed: logSparsely(({ proxy, status, setting, message }: EgressProxyError, heldBack) =>
      logger.warn(
        { proxy, status, setting, error: message, heldBack },
        `an egress proxy gives no connection: look at ${setting}, at NO_PROXY, and at what the proxy allows`,
      ),
    ),
    clockWrong: logSparsely((key: { source: string; region: string; seconds: number }, heldBack) =>
      logger.warn(
        { ...key, heldBack },
        "this machine's clock is wrong by so many seconds: AWS refused a signature, and calls are signed by its clock from now on",
      ),
    ),
    issuerUnreadable: onError('error', 'requests with JWTs are refused until this proxy is of that version too'),
    textUnscanned: logSparsely((missed: UnscannedText, heldBack) =>
      logger.warn({ ...missed, heldBack }, 'text was not scanned for PII'),
    ),
  };
}
