import type { IncomingMessage } from 'node:http';

/** How long an agent may keep sending a body that is no longer read, in milliseconds. */
const patienceMs = 5_000;

/**
 * Reads and discards the rest of a request's body. Clients that send everything before they read would otherwise never see
 * their answer, and closing the connection at once could lose it.
 */
export function dropRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.resume();
  const cut = setTimeout(() => request.destroy(), patienceMs);
  request.once('close', () => clearTimeout(cut));
}
