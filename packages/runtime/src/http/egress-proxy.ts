import type { Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';

/** What a connection is made to. */
export interface Target {
  protocol: string;
  /** An IPv6 address may stand in brackets. */
  hostname: string;
  /** Empty for the protocol's own. */
  port: string;
}

/** An egress proxy that gave no connection. Its message names it without user and password, and is for operators. */
export class EgressProxyError extends Error {
  readonly code = 'EGRESS_PROXY';
  /** What callers may be told of it: no address. */
  readonly told: string;
  /** Of its answer; null if none came. */
  readonly status: number | null;
  /** Host and port. */
  readonly proxy: string;
  /** Where its address is set. */
  readonly setting: string;

  constructor({ host, setting }: EgressProxy, why: string, told: string, status: number | null, cause?: unknown) {
    super(`egress proxy ${host} (${setting}): ${why}`, { cause });
    this.name = 'EgressProxyError';
    this.told = told;
    this.status = status;
    this.proxy = host;
    this.setting = setting;
  }
}

/** Says what a proxy's answer to CONNECT means. */
function explainStatus(status: number, target: string): string {
  if (status === 407) return 'it asks for another user or password (407)';
  if (status >= 500) return `it cannot reach ${target} (${status})`;
  return `it refuses ${target} (${status})`;
}

/** A proxy by which connections leave: each through a tunnel of its own (CONNECT), with TLS to its end. */
export class EgressProxy {
  /** With its port. */
  readonly host: string;
  readonly setting: string;
  readonly #pool: Pool;
  readonly #authorization: Record<string, string>;
  readonly #connectors = new Map<number, buildConnector.connector>();

  /** @param url may hold a user and a password @param setting names it in errors */
  constructor(url: string, setting: string) {
    const { origin, protocol, hostname, port, username, password } = new URL(url);
    this.host = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
    this.setting = setting;
    const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    this.#authorization = username === '' ? {} : { 'proxy-authorization': `Basic ${login}` };
    this.#pool = new Pool(origin, { allowH2: false, pipelining: 0 });
  }

  /** @param timeoutMs for the tunnel, and as much again for TLS through it */
  connector(timeoutMs: number): buildConnector.connector {
    const known = this.#connectors.get(timeoutMs);
    if (known !== undefined) return known;
    const secure = buildConnector({ timeout: timeoutMs, allowH2: false });
    const connect: buildConnector.connector = (target, callback) => {
      this.open(target, timeoutMs).then(
        (socket) => {
          if (target.protocol === 'https:') secure({ ...target, httpSocket: socket }, callback);
          else callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    };
    this.#connectors.set(timeoutMs, connect);
    return connect;
  }

  /** A tunnel, without TLS. @throws EgressProxyError */
  async open({ protocol, hostname, port }: Target, timeoutMs: number): Promise<Socket> {
    const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
    const path = `${host}:${port || (protocol === 'https:' ? 443 : 80)}`;
    const signal = AbortSignal.timeout(timeoutMs);
    const headers = { host: path, ...this.#authorization };
    const answer = await this.#pool.connect({ path, headers, signal }).catch((error: Error & { code?: string }) => {
      const why = signal.aborted
        ? `it gave no answer within ${timeoutMs / 1_000} s`
        : `it cannot be reached (${error.code ?? error.name})`;
      throw new EgressProxyError(this, why, why, null, error);
    });
    const { statusCode, socket } = answer;
    if (statusCode >= 200 && statusCode < 300) return socket as Socket;
    socket.on('error', () => {}).destroy();
    const [why, told] = [explainStatus(statusCode, path), explainStatus(statusCode, 'the provider')] as const;
    throw new EgressProxyError(this, why, told, statusCode);
  }
}
