import {
  killedMs,
  listChildren,
  type RunningServer,
  signal,
  stopWatched,
  waitUntilGone,
} from '@agp/local-stack/servers';

/** A server that a test stops, loses and suspends. */
export interface Server {
  url: string;
  stop(): Promise<void>;
  /** Starts it again after `stop` or `kill`, on the same port and data. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Suspends it (SIGSTOP): connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Lets it read its configuration again (SIGHUP). */
  reload(): void;
}

/** @param stopSignals its orderly stop: each is sent after the one before has not ended it */
export function controlServer(server: RunningServer, stopSignals: NodeJS.Signals[] = ['SIGTERM']): Server {
  let running: RunningServer['process'] | null = server.process;
  let isPaused = false;

  async function end(signals: NodeJS.Signals[]): Promise<void> {
    if (running === null) return;
    const { pid, gone } = running;
    running = null;
    // Postgres refuses to start again while a backend of its former self holds the shared memory; they outlive a kill for a moment.
    const family = signals.length === 0 ? listChildren(pid) : [];
    await stopWatched({ pid, stopSignals: signals, graceMs: 10_000 });
    await gone;
    await Promise.all(family.map((member) => waitUntilGone(member, killedMs)));
  }

  /** Postgres' backends too, and new ones that it makes in between. */
  const signalFamily = (name: 'SIGSTOP' | 'SIGCONT') => {
    if (running === null) return;
    const { pid } = running;
    isPaused = name === 'SIGSTOP';
    const before = listChildren(pid);
    for (const member of new Set([pid, ...before])) signal(member, name);
    for (const member of listChildren(pid)) signal(member, name);
  };
  return {
    url: server.url,
    start: async () => {
      running ??= await server.launch();
    },
    stop: () => {
      if (isPaused) signalFamily('SIGCONT');
      return end(stopSignals);
    },
    kill: () => end([]),
    pause: () => signalFamily('SIGSTOP'),
    resume: () => signalFamily('SIGCONT'),
    reload: () => void (running && signal(running.pid, 'SIGHUP')),
  };
}
