import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends one command to a Redis with a password, without a client library, and returns the first line of its answer. */
export async function sendToRedis(url: string, command: string): Promise<string> {
  const { hostname, port, password } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.end(`AUTH ${password}\r\n${command}\r\nQUIT\r\n`);
  const lines = (await socket.setEncoding('utf8').toArray()).join('').split('\r\n');
  return lines[1] ?? '';
}
