import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as the pipeline gets it, and the way to answer it. */
export interface Exchange {
  method: string;
  /** The request target, exactly as it was sent. */
  target: string;
  /** Names and values in turn, exactly as they were sent. */
  rawHeaders: readonly string[];
  /** The agent's address, as far as `TRUST_PROXY` allows to know it. */
  sourceIp: string;
  /** The caller's, or made here; not unique. */
  requestId: string;
  /** When the request arrived, on the monotonic clock, in milliseconds. */
  arrived: number;
  request: IncomingMessage;
  response: ServerResponse;
}
