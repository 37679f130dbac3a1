import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Guard } from '../guard/guard.ts';
import { StartError } from '../local-stack-config.ts';

/** Listens on a port for a moment. Rejects if that is impossible; port 0 always works. */
export async function probePort(port: number, host: string): Promise<void> {
  const probe = createServer();
  probe.listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

/**
 * Below the ranges that Linux (from 32768) and macOS (from 49152) take source ports from. A client that retries a stopped
 * server's port from inside its own source range can end up connected to itself, and then holds the port.
 */
const lowest = 20_000;
const highest = 32_000;

/** A TCP port on 127.0.0.1 that nothing listens on at this moment. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    try {
      await probePort(port, '127.0.0.1');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/** A user to run as: only root can choose one. */
export interface Account {
  uid: number;
  gid: number;
}

export interface TlsFiles {
  certFile: string;
  keyFile: string;
}

interface ServerSpec {
  name: string;
  file: string;
  args(port: number): string[];
  input?(port: number): string;
  environment?: Record<string, string>;
  account?: Account;
  readyLine: RegExp;
  /** Its orderly stop: each is sent after the one before has not ended it. */
  stopSignals: NodeJS.Signals[];
  url(port: number): string;
}

export interface ServerOptions {
  guard: Guard;
  /** In place of its orderly stop, if its data may be lost at the end; none: SIGKILL. */
  stopSignals?: NodeJS.Signals[];
  onLog?: (line: string) => void;
  /** Called when it ends, for whatever reason. */
  onExit?: (reason: string) => void;
}

export interface RunningServer {
  url: string;
  process: ServerProcess;
  /** Starts it again after its end, on the same port and data. */
  launch(): Promise<ServerProcess>;
}

export interface ServerProcess {
  pid: number;
  /** Resolves when it is gone. */
  gone: Promise<unknown>;
}

class ServerStartError extends StartError {
  override readonly code = 'server_start_failed';
  readonly portTaken: boolean;
  constructor(name: string, reason: string, log: string[]) {
    super(`${name} ${reason}\n${log.join('\n')}`);
    this.portTaken = log.some((line) => /address already in use/i.test(line));
  }
}

const startTimeoutMs = 60_000;
const portAttempts = 5;
const keptLogLines = 20;

function describeExit([code, signal]: unknown[]): string {
  return signal ? `was ended by ${signal}` : `ended with code ${code}`;
}

/** Starts a server and resolves when it says that it accepts connections. */
export async function startServer(spec: ServerSpec, options: ServerOptions): Promise<RunningServer> {
  let port = 0;

  async function launch(): Promise<ServerProcess> {
    const log: string[] = [];
    const child = spawn(spec.file, spec.args(port), {
      // Out of reach of the terminal's Ctrl-C: we stop the servers after the services.
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...spec.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...spec.account,
    });
    options.guard.watch(child, {
      name: spec.name,
      stopSignals: options.stopSignals ?? spec.stopSignals,
      graceMs: 5_000,
      stage: 1,
    });
    child.stdin.on('error', () => {}); // it ended before it read; its exit is reported below
    child.stdin.end(spec.input?.(port) ?? '');
    const gone = once(child, 'exit').catch((error: Error) => [error.message, null]);
    const ready = new Promise<'ready'>((resolve) => {
      for (const input of [child.stdout, child.stderr])
        createInterface({ input }).on('line', (line) => {
          log.push(line);
          if (log.length > keptLogLines) log.shift();
          options.onLog?.(line);
          if (spec.readyLine.test(line)) resolve('ready');
        });
    });
    const timeout = AbortSignal.timeout(startTimeoutMs);
    const outcome = await Promise.race([ready, gone, once(timeout, 'abort').then(() => 'late' as const)]);
    if (outcome === 'ready') {
      void gone.then((exit) => options.onExit?.(`${spec.name} ${describeExit(exit)}`));
      return { pid: child.pid as number, gone };
    }
    if (outcome === 'late') {
      child.kill('SIGKILL');
      throw new ServerStartError(spec.name, `was not ready within ${startTimeoutMs / 1000} s`, log);
    }
    // The rest of its log may still be in the pipe.
    await sleep(20);
    throw new ServerStartError(spec.name, describeExit(outcome), log);
  }

  for (let attempt = 1; ; attempt += 1) {
    port = await findFreePort();
    try {
      const process = await launch();
      return { url: spec.url(port), process, launch };
    } catch (error) {
      // Another process was quicker to take the port.
      if (!(error instanceof ServerStartError && error.portTaken) || attempt === portAttempts) throw error;
    }
  }
}
