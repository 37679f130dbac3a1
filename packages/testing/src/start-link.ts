import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How badly a link passes bytes on. */
export interface LinkWeather {
  /** Added to a round trip, in milliseconds. */
  delayMs?: number;
  /**
   * The part of all pieces that arrive late, 0 to 1. TCP hides a lost packet from its user: what comes after it waits for the
   * retransmission, 200 ms with Linux' least timeout, so that is how it shows here.
   */
  loss?: number;
  /** Nothing arrives, and connections stay open: the network is gone between the two. */
  silent?: boolean;
}

/** The way from services to a server, which a test makes slow, lossy, silent or broken. */
export interface Link extends AsyncDisposable {
  /** The same URL with the way over this link. */
  over(url: string): string;
  /** Also for connections that are open. An empty object is good weather. */
  set(weather: LinkWeather): void;
  /** Breaks every connection, and refuses new ones until `mend`. */
  cut(): void;
  mend(): void;
}

const retransmissionMs = 200;
const maxQueued = 1_000;

/** Passes one direction on, in order, each piece when it is due. */
class Direction {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #weather: () => LinkWeather;
  readonly #queue: { piece: Buffer | null; due: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(from: Socket, to: Socket, weather: () => LinkWeather) {
    this.#from = from;
    this.#to = to;
    this.#weather = weather;
    from.on('data', (piece) => this.#add(piece));
    from.on('end', () => this.#add(null));
  }

  #add(piece: Buffer | null): void {
    const { delayMs = 0, loss = 0 } = this.#weather();
    const late = Math.random() < loss ? retransmissionMs : 0;
    const due = Math.max(this.#queue.at(-1)?.due ?? 0, performance.now() + delayMs / 2 + late);
    this.#queue.push({ piece, due });
    if (this.#queue.length > maxQueued) this.#from.pause();
    this.pass();
  }

  /** Sends what is due. */
  pass(): void {
    clearTimeout(this.#timer);
    if (this.#to.destroyed || this.#weather().silent) return;
    const now = performance.now();
    for (let next = this.#queue[0]; next !== undefined && next.due <= now; next = this.#queue[0]) {
      this.#queue.shift();
      if (next.piece === null) this.#to.end();
      else this.#to.write(next.piece);
    }
    if (this.#queue.length <= maxQueued) this.#from.resume();
    const [next] = this.#queue;
    if (next) this.#timer = setTimeout(() => this.pass(), next.due - now);
  }
}

/** Starts a link to the server of a URL, on loopback. */
export async function startLink(target: string): Promise<Link> {
  const { hostname, port } = new URL(target);
  let weather: LinkWeather = {};
  let isCut = false;
  const sockets = new Set<Socket>();
  const directions = new Set<Direction>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    if (isCut) return void client.resetAndDestroy();
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
    const both = [new Direction(client, upstream, () => weather), new Direction(upstream, client, () => weather)];
    for (const each of both) directions.add(each);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        for (const each of both) directions.delete(each);
        (socket === client ? upstream : client).destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    over: (url) => Object.assign(new URL(url), { host: address }).href,
    set(next) {
      weather = next;
      for (const each of directions) each.pass();
    },
    cut,
    mend() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
