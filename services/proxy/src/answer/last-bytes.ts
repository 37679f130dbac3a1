import type { ServerResponse } from 'node:http';
import type { Exchange } from '../exchange.ts';

/** How long the last bytes of a stopped stream may take to leave, in milliseconds. */
export const lastWordsMs = 5_000;

export function cutOff({ request }: Exchange): void {
  // A response has a socket only while it is its turn on the connection.
  const { socket } = request;
  const patience = setTimeout(() => socket.destroy(), lastWordsMs);
  socket.once('close', () => clearTimeout(patience)).destroySoon();
}

/** An agent that does not read the last bytes must not keep its event and its reservation open. */
export function waitForAgent(response: ServerResponse, patienceMs: number): void {
  const patience = setTimeout(() => response.destroy(), patienceMs);
  response.once('close', () => clearTimeout(patience));
}
