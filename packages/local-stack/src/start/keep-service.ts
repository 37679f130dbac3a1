import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceEndedError, type ServiceOptions, type StartedService, startService } from './start-service.ts';

export interface KeepOptions extends ServiceOptions {
  /** The variable of the port that it listens on besides `OPS_PORT`, if it has one. */
  portVariable?: string;
  /** Called when it has ended and is not started again. */
  onExit: (reason: string) => void;
  /** Fires when the stack stops: a service that ends after that has not crashed. */
  stopping: AbortSignal;
}

const mostCrashes = 5;
const withinMs = 60_000;
const firstPauseMs = 100;

/**
 * Starts a service, and starts it again on the same ports each time it crashes. It is given up, and `onExit` called, after five
 * crashes within a minute, after an end with code 0 (somebody has stopped it), or when it cannot start for another reason.
 *
 * @returns its URL, which stays the same
 * @throws StartError where the first start fails
 */
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
