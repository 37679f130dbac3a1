import type { Socket } from 'node:net';
import { maxHeadBytes } from '@agp/runtime';
import { Agent, buildConnector, type Dispatcher } from 'undici';

/** How long an answer may be heard that came before a write failed, in milliseconds. */
const heardOutMs = 1_000;

type Done = (error?: Error | null) => void;

/** A provider may answer and hang up before it has the body: Node would drop the answer with the write that fails. */
function hearOut(socket: Socket): void {
  const later =
    (done: Done): Done =>
    (error) => {
      if (!error) return done();
      const failing = setTimeout(() => done(error), heardOutMs);
      socket.once('close', () => clearTimeout(failing));
    };
  const { _write: write, _writev: writeMany } = socket;
  socket._write = (chunk, encoding, done) => write.call(socket, chunk, encoding, later(done));
  if (writeMany) socket._writev = (chunks, done) => writeMany.call(socket, chunks, later(done));
}

/** The connections to providers. */
export function createUpstream(timeoutMs: number): Dispatcher {
  // With HTTP/2 requests would share connections, and a broken one would end several answers.
  const allowH2 = false;
  const connect = buildConnector({ timeout: 10_000, allowH2 });
  return new Agent({
    allowH2,
    maxHeaderSize: maxHeadBytes,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: (options, callback) =>
      connect(options, (...result) => {
        if (result[1]) hearOut(result[1]);
        callback(...result);
      }),
  });
}
