import type { IncomingMessage } from 'node:http';

/** An agent that goes on sending a body that nobody wants is cut off after this long, in milliseconds. */
const patienceMs = 5_000;

/**
 * Reads the rest of a request's body and forgets it. Clients that send before they read would otherwise never come to
 * their answer, and closing the connection at once could lose it.
 */
export function dropRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.resume();
  const cut = setTimeout(() => request.destroy(), patienceMs);
  request.once('close', () => clearTimeout(cut));
}
