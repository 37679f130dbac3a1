import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { childEnvironment } from '@agp/testing';
import {
  assembleSystem,
  launchWithin,
  type RunningService,
  type ServiceName,
  type System,
  type SystemOptions,
  stopAllOf,
} from './start-system.ts';

/** One service as a process of its own, as it runs in production. Its `stop` rejects when it ends with another code than 0. */
export interface ServiceProcess extends RunningService {
  child: ChildProcess;
  /** SIGKILL. */
  kill(): Promise<void>;
}

/** What starts a service as a process. */
export interface Program {
  /** Node's flags, the file, and its arguments. */
  args: readonly string[];
  /** The folder that it runs in; that of the tests if not given. */
  folder?: string;
  /** Beside what the system gives it, which wins. */
  environment?: Readonly<Record<string, string>>;
}

export interface ProcessOptions extends SystemOptions {
  /** Asked at each start; the sources of this workspace if not given. */
  programOf?: (name: ServiceName) => Program;
  /** Takes what services print, instead of the console. */
  onOutput?: (text: string) => void;
  /** Services that nobody kills or reads: they run within this process, which costs a second of CPU time less for each. */
  within?: readonly ServiceName[];
}

export interface ProcessSystem extends System<ServiceProcess> {
  /** Starts a process of a service, without waiting for anything. */
  spawn(name: ServiceName, environment?: Record<string, string>): ChildProcess;
  /** Starts one more service, within this process. */
  startWithin(name: ServiceName, environment?: Record<string, string>): Promise<ServiceProcess>;
}

/** A service within this process, where one is expected that can be killed. */
const toUnkillable = (service: RunningService): ServiceProcess => ({
  ...service,
  get child(): never {
    throw new Error('this service is no process of its own');
  },
  kill: () => Promise.reject(new Error('this service cannot be killed')),
});

/** Starts the services as processes: for tests that kill them, signal them, or read what they print. */
export async function startProcesses(options: ProcessOptions = {}): Promise<ProcessSystem> {
  const running = new Set<ChildProcess>();
  const within = new Set<RunningService>();
  const launch = launchWithin(within, options.onOutput);
  const launchHere = async (name: ServiceName, environment: Record<string, string>) =>
    toUnkillable(await launch(name, { ...environment, DRAIN_DELAY_SECONDS: '0' }));
  const spawnOne = (name: ServiceName, environment: Record<string, string>) => {
    const program = (options.programOf ?? ownProgram)(name);
    const child = spawnService(program, childEnvironment({ ...program.environment, ...environment }), options.onOutput);
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  };
  const system = await assembleSystem(
    options,
    async (name, environment) =>
      options.within?.includes(name) ? launchHere(name, environment) : toService(name, spawnOne(name, environment)),
    async () => {
      await Promise.all([...running].map(kill));
      await stopAllOf(within);
    },
  );
  return {
    ...system,
    spawn: (name, environment) => spawnOne(name, { ...system.toEnvironment(name), ...environment }),
    startWithin: (name, environment) => launchHere(name, { ...system.toEnvironment(name), ...environment }),
  };
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const ownProgram = (name: ServiceName): Program => ({
  args: [new URL(`../../services/${name}/src/main.ts`, import.meta.url).pathname],
});

function spawnService(
  { args, folder }: Program,
  environment: Record<string, string>,
  onOutput: ProcessOptions['onOutput'],
): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', onOutput ?? ((text: string) => console.log(text.trimEnd())));
  return child;
}

/** Waits until the process says where it listens. */
async function toService(name: ServiceName, child: ChildProcess): Promise<ServiceProcess> {
  const exited = once(child, 'exit');
  const message = await Promise.race([once(child, 'message'), exited]);
  const [ready] = message as [{ url?: string; opsUrl?: string }];
  if (!ready?.url || !ready.opsUrl) throw new Error(`${name} did not start: exit code ${child.exitCode}`);
  return {
    url: ready.url,
    opsUrl: ready.opsUrl,
    child,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exited;
      if (code !== 0) throw new Error(`${name} ended with code ${code}`);
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
