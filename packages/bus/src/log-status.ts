import type { BusOptions } from './connect.ts';

/** What a logger must be able to do here. */
interface WarningLog {
  warn(fields: object, message: string): void;
}

/** Says in the log what becomes of a connection, under the name of the variable where that must be right first. */
export function logBusStatus(log: WarningLog): NonNullable<BusOptions['onStatus']> {
  return (status, description) => {
    if (status === 'waiting') log.warn({ error: description }, 'NATS_URL: NATS cannot be used yet; it is tried again');
    else log.warn({ status, detail: description }, 'NATS');
  };
}
