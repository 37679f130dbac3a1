import type { BusOptions } from './connect.ts';

interface WarningLog {
  warn(fields: object, message: string): void;
}

/** Logs a connection's changes, and until it has connected once, the variable that may be wrong. */
export function logBusStatus(log: WarningLog): NonNullable<BusOptions['onStatus']> {
  return (status, description) => {
    if (status === 'waiting') log.warn({ error: description }, 'NATS_URL: NATS cannot be used yet; it is tried again');
    else log.warn({ status, detail: description }, 'NATS');
  };
}
