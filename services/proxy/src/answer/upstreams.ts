import type { Socket } from 'node:net';
import { maxHeadBytes } from '@agp/runtime';
import type { EgressProxy } from '@agp/runtime/egress';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Provider } from '../settings/provider.ts';
import { SigningKey } from '../settings/signing-key.ts';
import type { Warnings } from '../telemetry/warnings.ts';
import { signedBy } from './signed.ts';

/** How long an answer may be heard that came before a write failed, in milliseconds. */
const heardOutMs = 1_000;

// With HTTP/2 requests would share connections, and a broken one would end several answers.
const allowH2 = false;

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

/** In milliseconds, for a connection; through a proxy twice. */
const connectMs = 10_000;

function createUpstream(timeoutMs: number, connect = buildConnector({ timeout: connectMs, allowH2 })): Dispatcher {
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

/** The connections to providers. */
export class Upstreams {
  readonly #direct: Dispatcher;
  /** By which calls leave through a proxy. */
  readonly #proxied: ReadonlyMap<EgressProxy, Dispatcher>;
  readonly #warnings: Pick<Warnings, 'clockWrong'>;

  /** @param timeoutMs how long a provider may be silent, in milliseconds */
  constructor(endpoints: readonly Provider[], timeoutMs: number, warnings: Pick<Warnings, 'clockWrong'>) {
    this.#warnings = warnings;
    this.#direct = createUpstream(timeoutMs);
    const proxies = new Set(endpoints.flatMap(({ proxy }) => proxy ?? []));
    this.#proxied = new Map(
      [...proxies].map((proxy) => [proxy, createUpstream(timeoutMs, proxy.connector(connectMs))] as const),
    );
  }

  /**
   * By which calls to one endpoint go out, signed if it asks for that.
   * @param onRefused what was sent so far was refused, and is sent again
   * @throws Error if no settings name its egress proxy
   */
  find({ id, proxy, apiKey }: Provider, onRefused = () => {}): Dispatcher {
    const found = proxy ? this.#proxied.get(proxy) : this.#direct;
    if (found === undefined) throw new Error(`the egress proxy of the provider ${id} is not open`);
    if (!(apiKey instanceof SigningKey)) return found;
    const { source, region } = apiKey;
    return found.compose(
      signedBy(apiKey, (offMs) => {
        this.#warnings.clockWrong({ source, region, seconds: Math.round(offMs / 1_000) });
        onRefused();
      }),
    );
  }

  /** Ends what runs. */
  async close(): Promise<void> {
    await Promise.all([this.#direct, ...this.#proxied.values()].map((each) => each.destroy()));
  }
}
