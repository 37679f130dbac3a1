import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { toLineText } from '@agp/core/text';
import type { Guard } from '../guard/guard.ts';
import { repositoryRoot, StartError, serviceFlags } from '../local-stack-config.ts';
import { describeLogLine, openLogFile, readFatalReason } from './logs.ts';

interface ServiceOptions {
  guard: Guard;
  logFolder: string;
  environment: NodeJS.ProcessEnv;
  /** How long it may take to stop, in milliseconds, and its stage: see `WatchedProcess`. */
  stop: { graceMs: number; stage: number };
  report: (line: string) => void;
  /** How long it may wait for a server before it is ready, in milliseconds. */
  troubleWithinMs?: number;
}

interface StartedService {
  url: string;
  /** Health and metrics are served there. */
  opsUrl: string;
  /** Resolves when it has ended, with a sentence that names it. It crashed unless its code was 0. */
  ended: Promise<{ reason: string; isCrash: boolean }>;
}

class ServiceEndedError extends StartError {}

/** A service waits for servers that are away, and logs it. */
const troubleWithinMs = 8_000;

/** Starts a service as a process and resolves once it says that it is ready. */
export async function startService(name: string, entry: string, options: ServiceOptions): Promise<StartedService> {
  const writeLog = openLogFile(join(options.logFolder, `${name}.log`));
  const child = spawn(process.execPath, [...serviceFlags, join(repositoryRoot, entry)], {
    cwd: repositoryRoot,
    env: options.environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Out of reach of the terminal's Ctrl-C: services are stopped before their servers.
    detached: true,
  });
  options.guard.watch(child, { name, stopSignals: ['SIGTERM'], ...options.stop });
  let isReady = false;
  let fatalReason: string | null = null;
  const trouble = Promise.withResolvers<string>();
  let troubles = '';
  let waiting: NodeJS.Timeout | undefined;
  const noteTrouble = (shown: string) => {
    troubles = [troubles, shown].filter(Boolean).join('; ');
    waiting ??= setTimeout(() => trouble.resolve(troubles), options.troubleWithinMs ?? troubleWithinMs);
  };
  for (const input of [child.stdout, child.stderr])
    if (input)
      createInterface({ input }).on('line', (line) => {
        // A log entry is escaped already, but the output of a crash is not, and people read the file in a terminal.
        writeLog(toLineText(line, 100_000));
        fatalReason = readFatalReason(line) ?? fatalReason;
        // Before it is ready, the fatal reason becomes our error.
        if (!isReady && fatalReason !== null) return;
        const shown = describeLogLine(name, line);
        if (shown === null) return;
        if (!isReady) noteTrouble(shown);
        options.report(shown);
      });
  // Not "exit", when its last lines may still be in the pipe.
  const gone = once(child, 'close').then(([code, signal]) => ({
    how: signal ? `was ended by ${signal}` : `ended with code ${code}`,
    isCrash: code !== 0,
  }));
  const ready = new Promise<{ url: string; opsUrl: string }>((resolve) => {
    child.on('message', (message: { ready?: boolean; url?: string; opsUrl?: string }) => {
      if (!message.ready || !message.url) return;
      isReady = true;
      resolve({ url: message.url, opsUrl: message.opsUrl ?? message.url });
    });
  });
  const outcome = await Promise.race([ready, gone, trouble.promise.then((waitsFor) => ({ waitsFor }))]);
  clearTimeout(waiting);
  if ('waitsFor' in outcome) throw new StartError(`${name} is not ready: ${outcome.waitsFor}`);
  if ('how' in outcome)
    throw new ServiceEndedError(`${name} cannot start: ${fatalReason ?? `it ${outcome.how} before it was ready`}`);
  return { ...outcome, ended: gone.then(({ how, isCrash }) => ({ reason: `${name} ${how}`, isCrash })) };
}

interface KeepOptions extends ServiceOptions {
  /** The variable of its main port, if it has one. */
  portVariable?: string;
  /** Called when it has ended and is not started again. */
  onExit: (reason: string) => void;
  /** Fires when the stack stops: a service that ends after that has not crashed. */
  stopping: AbortSignal;
}

const mostCrashes = 5;
const withinMs = 60_000;
const firstPauseMs = 100;

/** Starts a service, and starts it again on the same ports each time it crashes. */
export async function keepService(name: string, entry: string, options: KeepOptions): Promise<string> {
  const { stopping, report, onExit } = options;
  let environment = options.environment;
  let crashes: number[] = [];

  async function start(): Promise<string> {
    const started = await startService(name, entry, { ...options, environment });
    environment = pinPorts(environment, started, options.portVariable);
    void started.ended.then(({ reason, isCrash }) => goOn(reason, isCrash));
    return started.url;
  }

  async function goOn(reason: string, isCrash: boolean): Promise<void> {
    if (stopping.aborted) return;
    if (!isCrash) {
      onExit(reason);
      return;
    }
    const now = performance.now();
    crashes = [...crashes.filter((at) => now - at < withinMs), now];
    if (crashes.length >= mostCrashes) {
      onExit(`${reason}: its crash number ${mostCrashes} within a minute`);
      return;
    }
    report(`${reason}. Starting it again ...`);
    await sleep(firstPauseMs * 2 ** (crashes.length - 1));
    if (stopping.aborted) return;
    try {
      report(`${name} is up again: ${await start()}`);
    } catch (error) {
      await goOn((error as Error).message, error instanceof ServiceEndedError);
    }
  }

  return start();
}

function pinPorts(
  environment: NodeJS.ProcessEnv,
  { url, opsUrl }: StartedService,
  portVariable: string | undefined,
): NodeJS.ProcessEnv {
  return {
    ...environment,
    OPS_PORT: new URL(opsUrl).port,
    ...(portVariable === undefined ? {} : { [portVariable]: new URL(url).port }),
  };
}
